package server

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// process is a program that runs until it is stopped. What it prints goes into a file.
type process struct {
	cmd  *exec.Cmd
	log  string
	done chan struct{} // closed when the program has ended
}

// startProcess starts a program that logs into a file.
func startProcess(log, program string, args ...string) (*process, error) {
	file, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p := &process{cmd: exec.Command(program, args...), log: log, done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = file, file
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.cmd.Wait() // how it ended is asked for in stop
		close(p.done)
	}()
	return p, nil
}

// stop asks the program to end, and kills it if it does not within 10 s.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(10 * time.Second):
	}
	err := p.cmd.Process.Kill()
	<-p.done
	return err
}

// wait waits until the program is ready, at most for a minute.
func (p *process) wait(ready func() bool) error {
	timeout := time.After(time.Minute)
	for !ready() {
		select {
		case <-p.done:
			return fmt.Errorf("%s ended: %v\n%s", p.cmd.Path, p.cmd.ProcessState, p.tail())
		case <-timeout:
			return fmt.Errorf("%s is not ready after a minute\n%s", p.cmd.Path, p.tail())
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

// tail returns the last 20 lines that the program printed.
func (p *process) tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
