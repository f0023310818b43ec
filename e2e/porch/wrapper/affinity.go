package wrapper

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// startOn starts a program that may use only some processors, and so do its children.
// A process has the processors of the thread that started it.
func startOn(cmd *exec.Cmd, cpus []int) error {
	if len(cpus) == 0 {
		return cmd.Start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, during unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return err
	}
	for _, cpu := range cpus {
		during.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &during); err != nil {
		return err
	}
	started := cmd.Start()
	if err := unix.SchedSetaffinity(0, &before); err != nil {
		return err
	}
	return started
}

// CPUs lists the processors that this process may use.
func CPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, err
	}
	var cpus []int
	for cpu := range 8 * len(set) * 8 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}
