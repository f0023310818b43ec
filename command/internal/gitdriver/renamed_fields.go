package gitdriver

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
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

// newName is a name for a key in the text of a side.
type newName struct {
	side marker.Side
	key  *yaml.Node
	to   string
}

// withRenamedFields returns the versions with the names that one side gave to maps, lists and texts (rules/git: renamed
// fields): the base and the other side, which changed something in such a field, have the new name, too. The names that the
// sides gave to one field are conflicts. It is an error if they cannot be marked.
func (v Versions) withRenamedFields() (Versions, []nameConflict, error) {
	documents, ok := v.documents()
	if !ok {
		return v, nil, nil
	}
	var names []newName
	var conflicts []nameConflict
	for i := range documents[marker.Base] {
		more, colliding := findNewNames([3]*yaml.Node{documents[0][i], documents[1][i], documents[2][i]})
		names = append(names, more...)
		for _, c := range colliding {
			c.document = i
			conflicts = append(conflicts, c)
		}
	}
	out := v
	for _, n := range names {
		text, done := renamed(out.Texts[n.side], n.key, n.to)
		switch {
		case done:
			out.Texts[n.side] = text
		case len(conflicts) > 0:
			return v, nil, conflicts[0]
		default:
			return v, nil, nil
		}
	}
	return out, conflicts, nil
}

// documents returns the documents of the versions, if all can be parsed and have the same ones.
func (v Versions) documents() (out [3][]*yaml.Node, same bool) {
	for side, text := range v.Texts {
		var err error
		if out[side], err = documentsOf(text); err != nil {
			return out, false
		}
	}
	isSame := func(a, b *yaml.Node) bool {
		return a.Kind == yaml.MappingNode && a.Kind == b.Kind && yamlnode.Text(yamlnode.Field(a, "kind")) == yamlnode.Text(yamlnode.Field(b, "kind"))
	}
	return out, slices.EqualFunc(out[marker.Base], out[marker.Ours], isSame) && slices.EqualFunc(out[marker.Base], out[marker.Theirs], isSame)
}

// documentsOf returns the documents of a text that are not empty.
func documentsOf(text []byte) (out []*yaml.Node, err error) {
	defer yamlnode.Recover(&err)
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var n yaml.Node
		switch err := decoder.Decode(&n); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("it cannot be read: %w", err)
		case len(n.Content) == 1:
			out = append(out, n.Content[0])
		}
	}
}

// findNewNames finds the names that a side gave to fields of a document which the other side changed, and the fields to which
// both gave other names.
func findNewNames(versions [3]*yaml.Node) (names []newName, conflicts []nameConflict) {
	ours, changedByOurs := findRenamedFields(versions[marker.Base], versions[marker.Ours])
	theirs, changedByTheirs := findRenamedFields(versions[marker.Base], versions[marker.Theirs])
	give := func(side marker.Side, at *merge.Path, to string) {
		names = append(names, newName{side, keyNode(versions[side], at.Steps()), to})
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
	return names, conflicts
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
func markNames(pieces marker.Pieces, names []nameConflict) (marker.Pieces, error) {
	if len(names) == 0 {
		return pieces, nil
	}
	text := pieces.Resolve(func(int) marker.Side { return marker.Ours })
	documents, err := documentsOf(text)
	if err != nil {
		return nil, err
	}
	lines := slices.Collect(bytes.Lines(text))
	for _, c := range names {
		if c.document >= len(documents) {
			return nil, c
		}
		key := keyNode(documents[c.document], c.at.Steps())
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

// followKeys returns the versions with list elements under the keys that one side gave them: a
// container that theirs renamed has its new name in the base and in ours as well. Ours' changes are
// then at the same paths as in the merge. The versions are the base, theirs, ours and the merge.
func followKeys(versions [4]*yaml.Node, kind schema.Resource) [4]*yaml.Node {
	const base, theirs, ours = 0, 1, 2
	for _, sides := range [2][2]int{{theirs, ours}, {ours, theirs}} {
		side, other := sides[0], sides[1]
		all, err := merge.Differences(versions[base], versions[side], kind)
		if err != nil {
			return versions
		}
		for _, d := range all {
			if !isNewKey(d) {
				continue
			}
			steps := stepsFrom(d)
			if changed := withField(versions[other], steps, d.To); changed != nil {
				versions[base], versions[other] = withField(versions[base], steps, d.To), changed
			}
		}
	}
	return versions
}

// isNewKey reports whether a difference changes the key of a list element.
func isNewKey(d merge.Comparison) bool {
	steps := d.Path.Steps()
	if len(steps) < 2 || d.From == nil || d.To == nil {
		return false
	}
	return slices.ContainsFunc(steps[len(steps)-2].Keys, func(k merge.KeyValue) bool {
		return k.Name == steps[len(steps)-1].Field && k.Value != nil
	})
}

// stepsFrom returns the path of a new key with the key that the base has.
func stepsFrom(d merge.Comparison) []merge.Step {
	steps := slices.Clone(d.Path.Steps())
	element := &steps[len(steps)-2]
	element.Keys = slices.Clone(element.Keys)
	for i, k := range element.Keys {
		if k.Name == steps[len(steps)-1].Field {
			element.Keys[i].Value = d.From
		}
	}
	return steps
}

// withField returns a version with another value of the field at a path, nil if the version lacks the field.
func withField(n *yaml.Node, steps []merge.Step, v *yaml.Node) *yaml.Node {
	step := steps[0]
	if step.Keys == nil {
		return withChild(n, steps, v)
	}
	changed := yamlnode.Each(n, func(e *yaml.Node) *yaml.Node {
		if hasKeys(e, step.Keys) {
			if to := withField(e, steps[1:], v); to != nil {
				return to
			}
		}
		return e
	})
	if changed == n {
		return nil
	}
	return changed
}

// withChild is withField where the first step is a field of a map.
func withChild(n *yaml.Node, steps []merge.Step, v *yaml.Node) *yaml.Node {
	child := yamlnode.Field(n, steps[0].Field)
	if child != nil && len(steps) > 1 {
		v = withField(child, steps[1:], v)
	}
	if child == nil || v == nil {
		return nil
	}
	return yamlnode.WithField(n, steps[0].Field, v)
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
