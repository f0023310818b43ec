package manifest

import (
	"bytes"
	"hash/maphash"
	"math"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Read reads the text of an item of a block sequence with its dash in the given
// column, from the beginning of the dash's line to the end of a line. It
// returns nil if the text is not plain.
func SkimItem(text []byte, column int) *Skim { return (*Bodies)(nil).Read(text, column) }

// Read is Read, but for bodies that are known: they are not read again.
func (b *Bodies) Read(text []byte, column int) *Skim {
	return skim(text, b, openBlock{indent: column, dash: true})
}

// ReadDocument reads the text of a document: a block mapping in column 0, from the
// line below the document's marker to the end of a line or of the file. It returns
// nil if the text is not plain.
func SkimDocument(text []byte) *Skim {
	if isWhole(text) {
		return skim(text, nil, openBlock{indent: -2, dash: true}, openBlock{})
	}
	i := skim(append(text[:len(text):len(text)], '\n'), nil, openBlock{indent: -2, dash: true}, openBlock{})
	if i == nil || i.literal { // whose last line break tells
		return nil
	}
	i.broken = true
	return i
}

// read reads a text within open collections.
func skim(text []byte, bodies *Bodies, open ...openBlock) *Skim {
	if !isWhole(text) || len(text) > math.MaxInt32 {
		return nil
	}
	s := scanner{text: text, item: &Skim{text: text}, bodies: bodies, clean: len(text), open: append(make([]openBlock, 0, usualDepth), open...)}
	if !s.scan() || !s.item.some || !isClean(text[:s.clean]) {
		return nil
	}
	s.keep(bodies)
	return s.item
}

// usualDepth is for how many open collections there is room at once.
const usualDepth = 6

// isWhole reports whether the last line of a text has its line break.
func isWhole(text []byte) bool { return len(text) > 0 && text[len(text)-1] == '\n' }

// Tree returns what the YAML parser reads of the text of one item, from the
// comments above its dash to the end of a line: a list with a mapping, every
// node with its line and column, and the comments as this package reads them. It returns
// nil if the text is not plain; what an item needs to be skimmed it need not have.
func Tree(text []byte) *yaml.Node {
	if list := rootOf(text); isClean(text) && list != nil && list.Kind == yaml.SequenceNode && len(list.Content) == 1 && list.Content[0].Kind == yaml.MappingNode {
		return list
	}
	return nil
}

// DocumentTree is [Tree] for a document: a mapping, from the line below the document's marker to
// the end of a line.
func DocumentTree(text []byte) *yaml.Node {
	if root := rootOf(text); isClean(text) && root != nil && root.Kind == yaml.MappingNode && root.Column == 1 {
		return root
	}
	return nil
}

// rootOf makes the nodes of a text, nil if the text is not plain.
func rootOf(text []byte) *yaml.Node {
	if t, _ := treeOf(text, true); t != nil {
		return t.top.entries[0].value.node
	}
	return nil
}

// treeOf makes the tree of a text, nil if that is not understood. strict says that it is not to be
// understood if it is not plain, and literal that it ends in a block scalar.
func treeOf(text []byte, strict bool) (t *tree, literal bool) {
	if !isWhole(text) {
		return nil, false
	}
	s := scanner{text: text, item: &Skim{}, tree: newTree(text, strict), open: make([]openBlock, 1, 16), await: true}
	if s.open[0] = (openBlock{indent: -1}); !s.scan() || strict && s.tree.unsure {
		return nil, false
	}
	return s.tree, s.item.literal
}

// Bodies are the bodies of plain items that were read: the lines from the first field on
// that is not one of the head, if none of those below it is one. The versions of a
// resource mostly have one body, and it is read once (rules/reading: skimming). Several
// goroutines may use them.
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
