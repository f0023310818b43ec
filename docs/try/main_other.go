//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "try: give three files: ORIGIN UPSTREAM LOCAL")
		os.Exit(2)
	}
	var texts [3]string
	var err error
	for i, name := range os.Args[1:] {
		text, failed := os.ReadFile(name)
		if texts[i] = string(text); failed != nil {
			err = failed
		}
	}
	text, told := "", ""
	if err == nil {
		text, told, err = mergeTexts(texts, false)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "try:", err)
		os.Exit(1)
	}
	fmt.Print(text)
	fmt.Fprint(os.Stderr, told)
}
