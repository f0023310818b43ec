// Command function is the KRM function alone, without the commands: the tests look at
// the functions that the linker puts into it.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/resource-merge/resource-merge/command"
)

func main() {
	in, err := io.ReadAll(os.Stdin)
	if err == nil {
		var out []byte
		out, err = command.Function(in)
		fmt.Printf("%s", out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
