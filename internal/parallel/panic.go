package parallel

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Panic is the error of work that panicked.
type Panic struct {
	Value any
	// Where is the file and line of the code that panicked.
	Where string
}

func (p *Panic) Error() string {
	return fmt.Sprintf("a bug in resource-merge, please report it: %v at %s", p.Value, p.Where)
}

// Guard calls work; a panic in it becomes a *Panic.
func Guard(work func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{Value: v, Where: panicked()}
		}
	}()
	return work()
}

// panicked is the place of the panic that is being recovered: the first below
// the runtime's functions that raise it.
func panicked() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	raised := false
	for {
		f, more := frames.Next()
		if f.Function == "runtime.gopanic" {
			raised = true
		} else if raised && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s/%s:%d", path.Base(path.Dir(f.File)), path.Base(f.File), f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
