// Command contender makes the inputs of e2e/perf, and runs the floor and kyaml's
// Merge3, with which resource-merge is compared there.
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/resource-merge/resource-merge/tests/bench"
)

const usage = "contender list SHAPE N | package DIR N | changed DIR N | floor FILE | merge3 DIR"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "contender:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("usage: %s", usage)
	}
	switch args[0] {
	case "floor":
		return floor(args[1])
	case "merge3":
		return bench.Merge3(args[1])
	}
	if len(args) < 3 {
		return fmt.Errorf("usage: %s", usage)
	}
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	return generate(args[0], args[1], n)
}

// generate makes an input: a list on stdout, or a package in a directory, with few
// changes or with everything changed.
func generate(what, arg string, n int) error {
	switch what {
	case "package":
		return bench.Few().Package(arg, n)
	case "changed":
		return bench.All().Package(arg, n)
	case "list":
		list, err := bench.Make(arg, n)
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(list)
		return err
	}
	return fmt.Errorf("usage: %s", usage)
}

// floor reads a list from a file and writes it to stdout.
func floor(file string) error {
	in, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return bench.Floor(in, os.Stdout)
}
