package plainyaml

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// fold is the literal or folded block whose lines are read.
type fold struct {
	node   *yaml.Node
	value  strings.Builder
	chomp  byte // '-', '+', or 0
	folded bool
	blank  bool // the line above begins with a space or a tab
	breaks int  // the line breaks before the next line that is not empty
	some   bool // there was such a line
}

// join writes what is between two lines: their line breaks, but of two that are
// folded one less, or a space.
func (f *fold) join(blank bool) {
	breaks := f.breaks
	if f.folded && f.some && !f.blank && !blank {
		if breaks--; breaks == 0 {
			f.value.WriteByte(' ')
		}
	}
	f.feed(breaks)
}

func (f *fold) feed(breaks int) {
	for range breaks {
		f.value.WriteByte('\n')
	}
}
