package gitdriver

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// renamedField is a field that a side renamed: its path in the base, and on that side.
type renamedField struct{ from, to *merge.Path }

func (r renamedField) name() string { return lastField(r.to) }

func lastField(p *merge.Path) string {
	steps := p.Steps()
	return steps[len(steps)-1].Field
}

// nameConflict is a field of a document that both sides renamed, differently. The versions have the name of ours while they
// are merged.
type nameConflict struct {
	document int
	from, at *merge.Path
	names    [3]string
}

func (c nameConflict) Error() string {
	return "both sides gave the field " + c.from.String() + " another name"
}

// newName is a name for a key in the text of a side. The key has its line in the file.
type newName struct {
	side marker.Side
	key  *yaml.Node
	to   string
}

// withRenamedFields returns the versions with the names that one side gave to maps, lists and texts (rules/git: renamed
// fields): the base and the other side, which changed something in such a field, have the new name, too. The names that the
// sides gave to one field are conflicts. It is an error if they cannot be marked.
// The versions are the packages.
func (v Versions) withRenamedFields(packages [3]pkgmerge.Package) (Versions, [3]pkgmerge.Package, []nameConflict, error) {
	documents := [3][]*pkgmerge.Resource{
		marker.Ours: packages[identity.Local].Resources, marker.Base: packages[identity.Origin].Resources, marker.Theirs: packages[identity.Upstream].Resources,
	}
	ofOneKind := func(a, b *pkgmerge.Resource) bool { return a.Meta.Kind == b.Meta.Kind }
	if base := documents[marker.Base]; !slices.EqualFunc(base, documents[marker.Ours], ofOneKind) || !slices.EqualFunc(base, documents[marker.Theirs], ofOneKind) {
		return v, packages, nil, nil
	}
	var names []newName
	var conflicts []nameConflict
	for i := range documents[marker.Base] {
		more, colliding, err := findNewNames([3]*pkgmerge.Resource{documents[0][i], documents[1][i], documents[2][i]})
		if err != nil {
			return v, packages, nil, nil
		}
		names = append(names, more...)
		for _, c := range colliding {
			c.document = i
			conflicts = append(conflicts, c)
		}
	}
	if len(names) == 0 {
		return v, packages, nil, nil
	}
	out := v
	for _, n := range names {
		text, done := renamed(out.Texts[n.side], n.key, n.to)
		switch {
		case done:
			out.Texts[n.side] = text
		case len(conflicts) > 0:
			return v, packages, nil, conflicts[0]
		default:
			return v, packages, nil, nil
		}
	}
	packages, err := out.packages()
	return out, packages, conflicts, err
}

// findNewNames finds the names that a side gave to fields of a document which the other side changed, and the fields to which
// both gave other names. A document that a side left as it is has none, and is not parsed. The trees of the others stay for the merge.
func findNewNames(documents [3]*pkgmerge.Resource) (names []newName, conflicts []nameConflict, err error) {
	base := documents[marker.Base].Item().Text()
	if bytes.Equal(base, documents[marker.Ours].Item().Text()) || bytes.Equal(base, documents[marker.Theirs].Item().Text()) {
		return nil, nil, nil
	}
	var versions [3]*yaml.Node
	for side, r := range documents {
		if versions[side], err = r.Keep(); err != nil {
			return nil, nil, err
		}
	}
	ours, changedByOurs := findRenamedFields(versions[marker.Base], versions[marker.Ours])
	theirs, changedByTheirs := findRenamedFields(versions[marker.Base], versions[marker.Theirs])
	give := func(side marker.Side, at *merge.Path, to string) {
		names = append(names, newName{side, keyInFile(documents[side], versions[side], at), to})
	}
	for _, r := range ours {
		i := slices.IndexFunc(theirs, func(other renamedField) bool { return other.from.String() == r.from.String() })
		switch {
		case i >= 0 && theirs[i].name() != r.name():
			give(marker.Base, r.from, r.name())
			give(marker.Theirs, theirs[i].to, r.name())
			conflicts = append(conflicts, nameConflict{from: r.from, at: r.to, names: [3]string{marker.Ours: r.name(), marker.Base: lastField(r.from), marker.Theirs: theirs[i].name()}})
		case changedByTheirs.follow(r):
			give(marker.Base, r.from, r.name())
			give(marker.Theirs, r.from, r.name())
		}
	}
	for _, r := range theirs {
		if changedByOurs.follow(r) {
			give(marker.Base, r.from, r.name())
			give(marker.Ours, r.from, r.name())
		}
	}
	return names, conflicts, nil
}

// findRenamedFields finds the fields that a side renamed, and all its changes: the only field that it removed from a map, and
// the only one that it put into the map, which are mostly equal.
func findRenamedFields(base, side *yaml.Node) (out []renamedField, all changes) {
	differences, err := merge.Differences(base, side, schema.Resource{})
	if err != nil {
		return nil, indexChanges(nil)
	}
	added, removed := map[string][]merge.Comparison{}, map[string][]merge.Comparison{}
	for _, d := range differences {
		switch at := d.Path.Parent().String(); {
		case !isField(d):
		case d.From == nil:
			added[at] = append(added[at], d)
		case d.To == nil:
			removed[at] = append(removed[at], d)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(removed)) {
		if len(removed[at]) == 1 && len(added[at]) == 1 && likeness(removed[at][0].From, added[at][0].To) >= minLikeness {
			out = append(out, renamedField{removed[at][0].Path, added[at][0].Path})
		}
	}
	return out, indexChanges(differences)
}

// follow reports whether a side changed something in a field to which the other side gave a new name.
func (c changes) follow(r renamedField) bool {
	gone, found := c.at[r.from.String()]
	return !(found && gone.To == nil) && c.touches(r.from) && !c.touches(r.to)
}

// isField reports whether a difference is one of a field with parts.
func isField(d merge.Comparison) bool {
	n := cmp.Or(d.From, d.To)
	steps := d.Path.Steps()
	return len(steps) > 0 && steps[len(steps)-1].Keys == nil && (n.Kind != yaml.ScalarNode || strings.Contains(n.Value, "\n"))
}

// keyInFile returns the name of the field at a path of a document, with its line in the file; nil if there is none.
func keyInFile(r *pkgmerge.Resource, tree *yaml.Node, at *merge.Path) *yaml.Node {
	key := keyNode(tree, at.Steps())
	if key == nil {
		return nil
	}
	inFile := *key
	inFile.Line += r.Item().Line - 1
	return &inFile
}

// keyNode returns the name of the field at a path, nil if there is none.
func keyNode(n *yaml.Node, steps []merge.Step) (key *yaml.Node) {
	for _, step := range steps {
		switch {
		case n == nil:
			return nil
		case step.Keys == nil:
			key, n = yamlnode.Entry(n, step.Field)
			continue
		}
		i := slices.IndexFunc(n.Content, func(e *yaml.Node) bool { return hasKeys(e, step.Keys) })
		if i < 0 {
			return nil
		}
		n = n.Content[i]
	}
	return key
}

// renamed returns a text in which a field has another name. Both names are plain words.
func renamed(text []byte, key *yaml.Node, to string) (out []byte, done bool) {
	lines := slices.Collect(bytes.Lines(text))
	before, after, ok := aroundName(lines, key)
	if !ok || strings.ContainsFunc(to, isNoWord) {
		return nil, false
	}
	lines[key.Line-1] = slices.Concat(before, []byte(to), after)
	return bytes.Join(lines, nil), true
}

// aroundName returns the line of a field before and after its name, if that is a plain word.
func aroundName(lines [][]byte, key *yaml.Node) (before, after []byte, ok bool) {
	if key == nil || key.Style != 0 || strings.ContainsFunc(key.Value, isNoWord) ||
		key.Line > len(lines) || key.Column > len(lines[key.Line-1]) { // the parser knows other line breaks, too
		return nil, nil, false
	}
	before, after = lines[key.Line-1][:key.Column-1], lines[key.Line-1][key.Column-1:]
	return before, bytes.TrimPrefix(after, []byte(key.Value)), bytes.HasPrefix(after, []byte(key.Value+":"))
}

// isNoWord reports whether a plain name of a field may not have a character.
func isNoWord(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./", r)
}

// markNames returns the pieces with the names that both sides gave to one field in conflict. It is an error if the line of such
// a name collides.
func (v Versions) markNames(pieces marker.Pieces, names []nameConflict) (marker.Pieces, error) {
	if len(names) == 0 {
		return pieces, nil
	}
	text := pieces.Resolve(func(int) marker.Side { return marker.Ours })
	merged, err := v.packageOf(text)
	if err != nil {
		return nil, err
	}
	lines := slices.Collect(bytes.Lines(text))
	for _, c := range names {
		if c.document >= len(merged.Resources) {
			return nil, c
		}
		tree, err := merged.Resources[c.document].Tree()
		if err != nil {
			return nil, err
		}
		key := keyInFile(merged.Resources[c.document], tree, c.at)
		before, after, ok := aroundName(lines, key)
		if !ok {
			return nil, c
		}
		var versions [3][]byte
		for side, name := range c.names {
			versions[side] = slices.Concat(before, []byte(name), after)
		}
		if pieces, ok = pieces.WithConflict(key.Line, versions); !ok {
			return nil, c
		}
	}
	return pieces, nil
}

// changes are the differences of a version from the base.
type changes struct {
	all []merge.Comparison
	at  map[string]merge.Comparison
	// above has the paths above a change.
	above map[string]bool
}

func indexChanges(all []merge.Comparison) changes {
	c := changes{all: all, at: map[string]merge.Comparison{}, above: map[string]bool{}}
	for _, d := range all {
		c.at[d.Path.String()] = d
		for _, path := range pathsTo(d.Path) {
			c.above[path.String()] = true
		}
	}
	return c
}

// pathsTo returns a path and the paths above it, also that of the resource.
func pathsTo(p *merge.Path) []*merge.Path {
	out := []*merge.Path{nil}
	for ; p != nil; p = p.Parent() {
		out = append(out, p)
	}
	return out
}

// touches reports whether there is a change at a path, above it or below it.
func (c changes) touches(p *merge.Path) bool {
	return c.above[p.String()] || slices.ContainsFunc(pathsTo(p), func(above *merge.Path) bool {
		_, found := c.at[above.String()]
		return found
	})
}

func hasKeys(e *yaml.Node, keys []merge.KeyValue) bool {
	for _, k := range keys {
		has := yamlnode.Field(e, k.Name)
		if (has == nil) != (k.Value == nil) || has != nil && !merge.Same(has, k.Value) {
			return false
		}
	}
	return true
}
