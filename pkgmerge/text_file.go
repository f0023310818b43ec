package pkgmerge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// findTexts finds the files that do not merge by structure on one side, and do on
// another.
func (m *merger) findTexts() {
	if !m.ofFiles {
		return
	}
	for _, side := range identity.Sides() {
		for _, c := range m.packages[side].contents {
			if c.isStructured() || !m.isStructuredElsewhere(c.Name) {
				continue
			}
			reason := c.fault
			if reason == "" {
				reason = "it is none of YAML or JSON with mappings"
			}
			m.addTextFile(textFile{c.Name, fmt.Sprintf("%s has it otherwise: %s", side, reason)})
		}
	}
	m.more = false
}

func (m *merger) isStructuredElsewhere(name string) bool {
	for _, side := range identity.Sides() {
		if c := m.packages[side].content(name); c != nil && c.isStructured() {
			return true
		}
	}
	return false
}

// addTextFile notes a file, unless it is known.
func (m *merger) addTextFile(f textFile) {
	at, found := m.findText(f.name)
	if !found {
		m.texts, m.more = slices.Insert(m.texts, at, f), true
	}
}

func (m *merger) findText(name string) (at int, found bool) {
	return slices.BinarySearchFunc(m.texts, name, func(f textFile, name string) int { return strings.Compare(f.name, name) })
}

// addText notes the file of a resource that does not merge by structure.
func (m *merger) addText(e *unreadableError) {
	m.addTextFile(textFile{e.resource.File, e.text})
}

// postponed notes the file of an error that is one of a resource that does not merge by
// structure, and returns other errors.
func (m *merger) postponed(err error) error {
	unreadable := (*unreadableError)(nil)
	if !errors.As(err, &unreadable) {
		return err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.addText(unreadable)
	return nil
}

// leaveOutTexts takes the resources of files that merge as text out of the packages.
func (m *merger) leaveOutTexts() {
	m.more = false
	if len(m.texts) == 0 {
		return
	}
	for side := range m.packages {
		p := &m.packages[side]
		p.Resources = slices.DeleteFunc(slices.Clone(p.Resources), func(r *Resource) bool {
			_, found := m.findText(r.File)
			return found
		})
	}
}

// textNotices tell of the files that merge as text: of local's that cannot be read they warn.
func (m *merger) textNotices() []Notice {
	var out []Notice
	for _, f := range m.texts {
		isLocals := slices.ContainsFunc(m.unread[identity.Local], func(u *unread) bool { return u.Name == f.name })
		out = append(out, Notice{Warning: isLocals, File: f.name, Text: fmt.Sprintf("%s is merged as text: %s", f.name, f.reason)})
	}
	return out
}
