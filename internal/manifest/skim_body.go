package manifest

import (
	"bytes"
	"hash/maphash"
	"sync"
)

// Bodies are the known bodies of plain items. A body is the lines from the first field on that is not one of the
// head, if no field below it is one of the head. The versions of a resource mostly have one body, and it is read once
// (rules/reading: skimming). Several goroutines may use the same Bodies.
type Bodies struct {
	seed  maphash.Seed
	least int // the shortest body worth a look-up, in bytes
	mutex sync.Mutex
	known map[uint64]body
}

// NewBodies returns an empty set of bodies.
func NewBodies() *Bodies {
	return &Bodies{seed: maphash.MakeSeed(), least: 512, known: map[uint64]body{}}
}

// body is a plain body, with the facts about an item with this body.
type body struct {
	text          []byte
	hash          uint64
	null, literal bool
}

// reading is the body being read, and the item's head above it.
type reading struct {
	body
	head head
	null bool
}

// find returns the body with a text. known is false for a new body, which has no facts yet.
func (b *Bodies) find(text []byte) (found body, known bool) {
	hash := maphash.Bytes(b.seed, text)
	b.mutex.Lock()
	found = b.known[hash]
	b.mutex.Unlock()
	if bytes.Equal(found.text, text) {
		return found, true
	}
	return body{text: text, hash: hash}, false
}

// add adds a body to the known ones.
func (b *Bodies) add(known body) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.known[known.hash] = known
}

// skip goes to the end of the text, if the body that begins in the line with the key is known. Otherwise it notes
// that the body is being read.
func (s *scanner) skip(key []byte) bool {
	if len(s.open) != 2 || !s.item.some || isHeadKey(key) {
		return false
	}
	b, rest := s.bodies, s.text[s.at:]
	if s.bodies = nil; len(rest) < b.least {
		return false
	}
	found, known := b.find(rest)
	if !known {
		s.body = &reading{found, s.item.head, s.item.Null}
		s.item.Null = false
		return false
	}
	s.item.Null, s.item.literal = s.item.Null || found.null, found.literal
	s.clean, s.next = s.at, len(s.text)
	return true
}

// isHeadKey reports whether a key may belong to a field of the head.
func isHeadKey(key []byte) bool {
	switch string(key) {
	case "apiVersion", "kind", "metadata":
		return true
	}
	return key[0] == '"' || key[0] == '\''
}

// keep adds the body of a plain item to bodies, unless the body has a field of the head.
func (s *scanner) keep(bodies *Bodies) {
	r := s.body
	if r == nil {
		return
	}
	r.body.null, r.literal = s.item.Null, s.item.literal
	s.item.Null = s.item.Null || r.null
	if s.item.head == r.head {
		bodies.add(r.body)
	}
}
