// Command timed runs a program and prints how long it took in seconds and how
// many bytes of memory it had at most. It is a program of its own because the
// kernel counts the memory of a process from the fork, when it is still its
// parent's: only a small program can measure a small one.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func main() {
	took, err := run(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(took); err != nil {
		os.Exit(1)
	}
}

// measure is the output, which perf reads.
type measure struct{ Seconds, Bytes float64 }

// run runs a program without stdin and stdout.
func run(program string, args []string) (measure, error) {
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	err := cmd.Run()
	seconds := time.Since(start).Seconds()
	if err != nil {
		return measure{}, err
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return measure{Seconds: seconds, Bytes: float64(usage.Maxrss) * 1024}, nil
}
