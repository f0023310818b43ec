package function

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// sides is the items by side, and the directory of each, "" for the package.
type sides struct {
	items [3][]*item
	dir   [3]string
	// claimed are the sides that have a directory of their own.
	claimed [3]bool
}

// splitSides puts every item on its side (DESIGN 1.1): by its merge-source
// annotation, else by the longest configured directory that holds it, else it
// is local's. With neither annotations nor configured directories the
// conventional ones apply: origin/, upstream/ and, if it is there, local/.
func splitSides(items []*item, c Config) (sides, error) {
	s := sides{}
	annotated := false
	for _, it := range items {
		annotated = annotated || annotation(it.Node, mergeSource) != ""
	}
	if c.Sources.configured() {
		s.claim(identity.Origin, c.Sources.Origin.Path)
		s.claim(identity.Upstream, c.Sources.Upstream.Path)
		s.claim(identity.Local, c.Sources.Local.Path)
	} else if !annotated {
		s.claimConventional(items)
	}
	for _, it := range items {
		side, err := s.sideOf(it)
		if err != nil {
			return s, err
		}
		it.rel = it.path
		if s.holds(side, it.path) {
			it.rel = strings.TrimPrefix(strings.TrimPrefix(it.path, s.dir[side]), "/")
		}
		s.items[side] = append(s.items[side], it)
	}
	for _, side := range identity.Sides() {
		findPackages(s.items[side])
	}
	return s, s.checkPresent(c)
}

func (s *sides) claim(side identity.Side, dir string) {
	if dir != "" {
		s.dir[side], s.claimed[side] = cleanPath(dir), true
	}
}

func (s *sides) claimConventional(items []*item) {
	for _, it := range items {
		first, _, below := strings.Cut(it.path, "/")
		for _, side := range identity.Sides() {
			if below && first == side.String() {
				s.claim(side, first)
			}
		}
	}
}

// sideOf is the side of one item.
func (s *sides) sideOf(it *item) (identity.Side, error) {
	switch mark := annotation(it.Node, mergeSource); mark {
	case "origin", "original":
		return identity.Origin, nil
	case "upstream", "updated":
		return identity.Upstream, nil
	case "local", "dest":
		return identity.Local, nil
	case "":
	default:
		return 0, fmt.Errorf("%s: annotation %s is %q, allowed are origin, original, upstream, updated, local, dest", it.describe(), mergeSource, mark)
	}
	longest, found := -1, identity.Local
	for _, side := range identity.Sides() {
		if s.claimed[side] && s.holds(side, it.path) && len(s.dir[side]) > longest {
			longest, found = len(s.dir[side]), side
		}
	}
	return found, nil
}

// holds says whether a side's directory holds a file.
func (s *sides) holds(side identity.Side, file string) bool {
	dir := s.dir[side]
	return dir == "" || strings.HasPrefix(file, dir+"/")
}

// findPackages tells each item of a side which package it is in.
func findPackages(items []*item) {
	packages := map[string]bool{}
	for _, it := range items {
		if it.isKptfile() && it.rel != "" {
			packages[path.Dir(it.rel)] = true
		}
	}
	for _, it := range items {
		dir := path.Dir(it.rel)
		for dir != "." && dir != "/" && !packages[dir] {
			dir = path.Dir(dir)
		}
		it.pkg = dir
	}
}

// checkPresent finds a side that is missing. An empty upstream would delete the
// package, an empty origin would make every difference a conflict.
func (s *sides) checkPresent(c Config) error {
	if len(s.items[identity.Upstream]) == 0 {
		return missing("upstream", "updated", "")
	}
	if len(s.items[identity.Origin]) == 0 && !c.Sources.Origin.None {
		return missing("origin", "original", "; or set sources.origin.none [origin-none] to merge without one")
	}
	if len(s.items[identity.Origin]) > 0 && c.Sources.Origin.None {
		return fmt.Errorf("functionConfig: sources.origin.none is true, but %s is on the origin side", s.items[identity.Origin][0].describe())
	}
	return nil
}

func missing(side, alias, more string) error {
	return errors.New("no " + side + " items: put them into " + side + "/ at the top of the package, or name their directory in sources." +
		side + ".path [" + side + "-path], or annotate them " + mergeSource + ": " + side + " (or " + alias + ")" + more +
		"; a step that runs again needs sources.keep [keep-sources], or the first run takes them out of the package")
}
