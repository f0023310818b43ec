package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// runKilled runs a command and kills it before its n-th change below a directory: before it creates, writes, renames, links or
// removes a file, and before it makes a directory. It reports the change, "" if the command ended before that.
func runKilled(t *testing.T, cmd *exec.Cmd, dir string, n int) (change string) {
	t.Helper()
	runtime.LockOSThread() // the thread that starts a traced process traces it
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); errors.Is(err, syscall.EPERM) {
		t.Skip("no process may be traced here")
	} else if err != nil {
		t.Fatal(err)
	}
	tr := tracer{pid: cmd.Process.Pid, dir: dir}
	if err := tr.run(n); err != nil {
		_ = cmd.Process.Kill()
		t.Fatal(err)
	}
	return tr.change
}

// tracer stops the threads of a process at their system calls, as strace does.
type tracer struct {
	pid     int
	dir     string
	changes int
	change  string
}

// syscallInfo is the beginning of struct ptrace_syscall_info, for a thread that enters a call.
type syscallInfo struct {
	Op                               uint8
	_                                [7]uint8
	InstructionPointer, StackPointer uint64
	Number                           uint64
	Args                             [6]uint64
}

// run lets the process go on until its end, or until its n-th change.
func (tr *tracer) run(n int) error {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(tr.pid, &status, 0, nil); err != nil {
		return err
	}
	if err := syscall.PtraceSetOptions(tr.pid, unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_EXITKILL); err != nil {
		return err
	}
	for at := tr.pid; ; {
		deliver := 0
		switch {
		case !status.Stopped():
			if at == tr.pid {
				return nil
			}
		case status.StopSignal() == syscall.SIGTRAP|0x80:
			if change := tr.changeOf(at); change != "" {
				if tr.changes++; tr.changes == n {
					tr.change = change
					return tr.kill()
				}
			}
		case status.StopSignal() != syscall.SIGTRAP && status.StopSignal() != syscall.SIGSTOP: // not the tracer's own
			deliver = int(status.StopSignal())
		}
		if status.Stopped() {
			if err := syscall.PtraceSyscall(at, deliver); err != nil && !errors.Is(err, syscall.ESRCH) {
				return err
			}
		}
		var err error
		if at, err = wait(&status); err != nil {
			return err
		}
	}
}

// wait waits for any thread that this thread traces.
func wait(status *syscall.WaitStatus) (pid int, err error) {
	for {
		if pid, err = syscall.Wait4(-1, status, unix.WALL|unix.WNOTHREAD, nil); !errors.Is(err, syscall.EINTR) {
			return pid, err
		}
	}
}

// kill kills the process, and waits for the end of all its threads.
func (tr *tracer) kill() error {
	if err := syscall.Kill(tr.pid, syscall.SIGKILL); err != nil {
		return err
	}
	for {
		var status syscall.WaitStatus
		if pid, err := wait(&status); err != nil || pid == tr.pid && !status.Stopped() {
			return err
		}
	}
}

// changeOf returns the change that a thread is about to make below the directory, "" if it makes none.
func (tr *tracer) changeOf(thread int) string {
	var info syscallInfo
	_, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(thread), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 || info.Op != unix.PTRACE_SYSCALL_INFO_ENTRY { // a thread that leaves a call has made the change
		return ""
	}
	what, name := "", ""
	switch a := info.Args; info.Number {
	case syscall.SYS_OPENAT:
		if int(a[2])&(syscall.O_CREAT|syscall.O_TRUNC) != 0 {
			what, name = "open", tr.path(a[0], a[1])
		}
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64, syscall.SYS_FTRUNCATE:
		what, name = "write", tr.link(fmt.Sprintf("fd/%d", a[0]))
	case syscall.SYS_RENAMEAT:
		what, name = "rename", tr.path(a[2], a[3])
	case syscall.SYS_LINKAT:
		what, name = "link", tr.path(a[2], a[3])
	case syscall.SYS_SYMLINKAT:
		what, name = "symlink", tr.path(a[1], a[2])
	case syscall.SYS_UNLINKAT:
		what, name = "remove", tr.path(a[0], a[1])
	case syscall.SYS_MKDIRAT:
		what, name = "mkdir", tr.path(a[0], a[1])
	}
	below, err := filepath.Rel(tr.dir, name)
	if what == "" || err != nil || !filepath.IsLocal(below) {
		return ""
	}
	return what + " " + below
}

// path returns the absolute path of a name, which may be relative to an open directory.
func (tr *tracer) path(dir, address uint64) string {
	name := tr.text(address)
	switch {
	case filepath.IsAbs(name):
		return name
	case int32(dir) == unix.AT_FDCWD:
		return filepath.Join(tr.link("cwd"), name)
	}
	return filepath.Join(tr.link(fmt.Sprintf("fd/%d", dir)), name)
}

// link reads a link of the process's directory in /proc.
func (tr *tracer) link(name string) string {
	target, _ := os.Readlink(fmt.Sprintf("/proc/%d/%s", tr.pid, name)) // "" is below no directory
	return target
}

// text reads a string of the process's memory, which ends with a NUL.
func (tr *tracer) text(address uint64) string {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", tr.pid))
	if err != nil {
		return ""
	}
	defer memory.Close()
	text := make([]byte, 4096)
	n, _ := memory.ReadAt(text, int64(address)) // a string may end before the page does
	name, _, _ := bytes.Cut(text[:n], []byte{0})
	return string(name)
}
