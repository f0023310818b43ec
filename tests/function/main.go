// Command function is the KRM function alone, without the commands: the tests look at
// what the linker puts into it.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/resource-merge/resource-merge/internal/krmfunction"
)

func main() {
	in, err := io.ReadAll(os.Stdin)
	if err == nil {
		var out []byte
		out, err = krmfunction.Run(in, nil)
		fmt.Printf("%s", out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
