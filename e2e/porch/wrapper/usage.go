package wrapper

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Usage is the memory, files and processor time that a server uses at a moment.
type Usage struct {
	Server   int64         // bytes of memory of the server, resident
	Children int64         // bytes of memory of its children, resident
	Running  int           // number of children, with the ones that ended and were not waited for
	Files    int           // how many files and connections the server has open
	CPU      time.Duration // processor time of the server and of the children that ended
}

// Usage reads the server's usage.
func (s *Server) Usage() (Usage, error) {
	pid := s.cmd.Process.Pid
	stat, err := readStat(pid)
	if err != nil {
		return Usage{}, err
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return Usage{}, err
	}
	u := Usage{Server: stat.resident, Files: len(files), CPU: stat.cpu}
	for _, child := range s.Children() {
		if stat, err := readStat(child); err == nil { // it may have ended
			u.Children += stat.resident
			u.Running++
		}
	}
	return u, nil
}

// Children lists the processes that the server started and that are there.
func (s *Server) Children() []int {
	var pids []int
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.cmd.Process.Pid))
	if err != nil {
		return nil
	}
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// stat is a process's usage by the kernel's account.
type stat struct {
	resident int64
	cpu      time.Duration
}

// readStat reads /proc/PID/stat. Its second field is a name in parentheses.
func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	const (
		firstTime, lastTime = 11, 14 // utime, stime, cutime, cstime
		resident            = 21
		tick                = time.Second / 100
	)
	if len(fields) <= resident {
		return stat{}, fmt.Errorf("/proc/%d/stat: %q", pid, text)
	}
	var out stat
	for _, field := range fields[firstTime : lastTime+1] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return stat{}, err
		}
		out.cpu += time.Duration(ticks) * tick
	}
	pages, err := strconv.ParseInt(fields[resident], 10, 64)
	out.resident = pages * int64(os.Getpagesize())
	return out, err
}
