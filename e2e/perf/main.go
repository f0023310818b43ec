// Command perf measures resource-merge beside kyaml and kpt, each as a program of its
// own, and writes docs/benchmark.md and docs/performance.svg (rules/reading: linear
// time). Run it in e2e: go run ./perf
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	opts, err := readOptions(os.Args[1:])
	if err == nil {
		err = run(opts, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "perf:", err)
		os.Exit(1)
	}
}

// options are the values of the flags.
type options struct {
	sizes  []int
	runs   int
	cap    time.Duration
	linear int // the percentage of the usual size
	docs   string
}

func readOptions(args []string) (options, error) {
	var opts options
	var sizes string
	flags := flag.NewFlagSet("perf", flag.ContinueOnError)
	flags.StringVar(&sizes, "sizes", "10,100,1000,5000", "numbers of resources a side")
	flags.IntVar(&opts.runs, "runs", 5, "runs to take the median of")
	flags.DurationVar(&opts.cap, "cap", 30*time.Second, "time after which a program gets no more runs, and no larger size")
	flags.IntVar(&opts.linear, "linear", 100, "percentage of the usual size of large documents")
	flags.StringVar(&opts.docs, "docs", filepath.Join("..", "docs"), "directory of benchmark.md and performance.svg")
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	for _, text := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return opts, fmt.Errorf("size %q is not a positive number", text)
		}
		opts.sizes = append(opts.sizes, n)
	}
	return opts, nil
}

// run measures everything in a directory of its own and writes the report.
func run(opts options, progress io.Writer) error {
	dir, err := os.MkdirTemp("", "resource-merge-perf-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "bin")
	if err := buildAll(bin); err != nil {
		return err
	}
	b := bench{options: opts, bin: bin, dir: dir, progress: progress}
	result, err := b.measureAll()
	if err != nil {
		return err
	}
	if err := writePlot(filepath.Join(opts.docs, "performance.svg"), result); err != nil {
		return err
	}
	return rewrite(filepath.Join(opts.docs, "benchmark.md"), result.text())
}
