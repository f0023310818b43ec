package gitrepo

import (
	"io"
	"time"
)

// silence is a writer that notices when nothing was written for some time.
type silence struct {
	to    io.Writer
	limit time.Duration
	timer *time.Timer
}

// watchSilence has tooLong called when nothing was written for the limit.
func watchSilence(to io.Writer, limit time.Duration, tooLong func()) *silence {
	return &silence{to: to, limit: limit, timer: time.AfterFunc(limit, tooLong)}
}

// Write writes, and the time begins anew.
func (s *silence) Write(p []byte) (int, error) {
	s.timer.Reset(s.limit)
	return s.to.Write(p)
}

func (s *silence) end() { s.timer.Stop() }
