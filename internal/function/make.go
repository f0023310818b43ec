package function

import (
	"fmt"
	"sync"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
)

// maker makes of each triple the merged resource, as far as that depends on no
// other: it parses the versions, has the strategy decide, encodes the result,
// and lets the nodes go, so that memory does not hold those of all resources at
// once.
type maker struct {
	list     *resourcelist.List
	strategy Strategy
	dir      string // local's
	// comments says whether to write merge comments, legacy whether the input uses
	// the old names of annotations.
	comments, legacy bool
	progress         Progress
	rules            *ruleUse
}

// makeAll makes all resources, on all processors. They are in the triples'
// order.
func (k maker) makeAll(triples []triple) ([]*merged, error) {
	for i := range triples {
		triples[i].kept = triples[i].isKept(k.strategy)
	}
	if err := k.strategy.begin(triples); err != nil {
		return nil, err
	}
	all := make([]*merged, len(triples))
	var told sync.Mutex
	done := 0
	tell := func() {
		told.Lock()
		defer told.Unlock()
		k.progress("merging", done, len(triples))
		done++
	}
	err := parallel.Each(len(triples), func(i int) (err error) {
		tell()
		all[i], err = k.make(triples[i])
		triples[i] = triple{}
		return err
	})
	return all, err
}

func (k maker) make(t triple) (*merged, error) {
	if err := t.parse(); err != nil {
		return nil, err
	}
	k.rules.see(t)
	out := t.settled
	if out == nil && !t.kept {
		decided, err := k.strategy.decide(t)
		if err != nil {
			return nil, err
		}
		out = &decided
	}
	m := newMerged(t, out, k.dir)
	if !m.stays() || m.moved {
		return m, nil // its place is not known, or what it was may be asked for
	}
	return m, k.finish(m)
}

// itemAt is the item at a place in the result. One with an id of kpt's ends with
// an empty line if it ends with a comment.
func (k maker) itemAt(s slot) *resourcelist.Item {
	var it *resourcelist.Item
	if s.resource != nil {
		it = k.placed(s.resource)
	} else {
		it = s.kept.Item
	}
	if hasID(it.Head()) {
		return it.Apart()
	}
	return it
}

// placed is the item of a resource that has its place. What cannot be encoded is
// found when it is written.
func (k maker) placed(m *merged) *resourcelist.Item {
	if m.ready != nil {
		return m.ready
	}
	it := m.item(k.comments, k.legacy)
	if m.state == changed {
		if encoded, err := m.identified(it, k.list); err == nil {
			return encoded
		}
	}
	return it
}

// finish makes the item of a resource that has its place. What renames may ask
// for later stays.
func (k maker) finish(m *merged) (err error) {
	m.ready = m.item(k.comments, k.legacy)
	if m.state == changed {
		if m.ready, err = m.identified(m.ready, k.list); err != nil {
			return fmt.Errorf("%s: %w", m.newest().describe(), err)
		}
	}
	if m.items[identity.Origin] != nil && !deletedUpstream(m) {
		m.forget()
		m.Node = nil
	}
	return nil
}
