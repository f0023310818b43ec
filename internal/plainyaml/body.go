package plainyaml

import (
	"bytes"
	"hash/maphash"
	"sync"
)

// Bodies are the bodies of plain items that were read: the lines from the first field on
// that is not one of the head, if none of those below it is one. The versions of a
// resource mostly have one body, and it is read once (design 9). Several goroutines may
// use them.
type Bodies struct {
	seed  maphash.Seed
	least int // how many bytes a body has at least that is worth a look-up
	mutex sync.Mutex
	known map[uint64]body
}

// NewBodies returns bodies of which none is known yet.
func NewBodies() *Bodies {
	return &Bodies{seed: maphash.MakeSeed(), least: 512, known: map[uint64]body{}}
}

// body is a plain body, and what an item with it says.
type body struct {
	text          []byte
	hash          uint64
	null, literal bool
}

// reading is the body that a scanner reads, and what the item says above it.
type reading struct {
	body
	head head
	null bool
}

// find returns the body that a text is, and whether more is known of it than its text.
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

// add makes a body known.
func (b *Bodies) add(known body) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.known[known.hash] = known
}
