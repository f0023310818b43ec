package blame_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/blame"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// thing is a resource, or a file of values, of a drawn package: its fields by their paths, with values as JSON has them.
type thing struct {
	file, name, comment string
	fields              map[string]string
}

// state is a drawn version of a package: its things by a number that no rename changes.
type state struct {
	things  map[int]thing
	version int // of upstream
	layout  uint64
}

func (s state) clone() state {
	out := state{things: map[int]thing{}, version: s.version, layout: s.layout}
	for id, t := range s.things {
		t.fields = maps.Clone(t.fields)
		out.things[id] = t
	}
	return out
}

// point is a commit of a drawn history.
type point struct {
	state
	parents []int
	id      string
}

// drawing draws a history.
type drawing struct {
	*rand.Rand
	points   []point
	upstream []state
	next     int
}

func (d *drawing) value() string {
	d.next++
	return fmt.Sprintf("v%d-%d", d.next, d.IntN(1000))
}

// fresh returns a thing with many values of its own.
func (d *drawing) fresh(id int) thing {
	t := thing{file: fmt.Sprintf("file%d.yaml", id%3), name: fmt.Sprintf("thing%d", id), fields: map[string]string{}}
	if id%4 == 3 {
		t.name, t.file = "", fmt.Sprintf("values%d.yaml", id)
		for i := range 6 {
			t.fields[fmt.Sprintf("top.key%d", i)] = d.value()
		}
		return t
	}
	for i := range 4 {
		t.fields[fmt.Sprintf("metadata.annotations.note%d", i)] = d.value()
	}
	for _, c := range []string{"a", "b"} {
		d.addContainer(t.fields, c)
	}
	return t
}

func (d *drawing) addContainer(fields map[string]string, name string) {
	at := fmt.Sprintf("spec.template.spec.containers[name=%q]", name)
	fields[at+".image"] = "registry/" + d.value() + ":" + d.value()
	fields[at+".command"] = "[" + d.value() + "," + d.value() + "]"
	fields[at+".workingDir"] = "/" + d.value()
}

// edit changes some values and fields.
func (d *drawing) edit(s state) {
	for range 1 + d.IntN(3) {
		t := s.things[d.pick(s)]
		names := slices.Sorted(maps.Keys(t.fields))
		name := names[d.IntN(len(names))]
		switch {
		case d.IntN(6) == 0 && len(names) > 5 && !strings.HasSuffix(name, "image"):
			delete(t.fields, name)
		case d.IntN(6) == 0 && t.name != "":
			t.fields[fmt.Sprintf("metadata.annotations.note%d", d.IntN(9))] = d.value()
		case strings.HasSuffix(name, "image"):
			t.fields[name] = "registry/" + d.value() + ":" + d.value()
		case strings.HasSuffix(name, "command"):
			t.fields[name] = "[" + d.value() + "]"
		default:
			t.fields[name] = d.value()
		}
	}
}

func (d *drawing) pick(s state) int {
	ids := slices.Sorted(maps.Keys(s.things))
	return ids[d.IntN(len(ids))]
}

// step draws the version after another one.
func (d *drawing) step(at int) state {
	s := d.points[at].clone()
	switch d.IntN(10) {
	case 0: // a resource gets another name
		id := d.pick(s)
		if t := s.things[id]; t.name != "" {
			if t.comment == "" && d.IntN(2) == 0 {
				t.comment = t.name
			}
			d.next++
			t.name = fmt.Sprintf("renamed%d", d.next)
			s.things[id] = t
		}
	case 1: // it moves to another file
		id := d.pick(s)
		if t := s.things[id]; t.name != "" {
			t.file = fmt.Sprintf("file%d.yaml", d.IntN(4))
			s.things[id] = t
		}
	case 2: // a file gets another name
		from := s.things[d.pick(s)].file
		d.next++
		for id, t := range s.things {
			if t.file == from {
				t.file = fmt.Sprintf("moved%d.yaml", d.next)
				s.things[id] = t
			}
		}
	case 3:
		s.layout = d.Uint64()
	case 4: // back to the values of an earlier version, or the last commit is reverted whole
		if parents := d.points[at].parents; len(parents) == 1 && d.IntN(2) == 0 {
			return d.points[parents[0]].clone()
		}
		old := d.points[d.IntN(at+1)].clone()
		for id, t := range s.things {
			t.fields = old.things[id].fields
			s.things[id] = t
		}
	case 5:
		d.upgrade(s)
		if s.version < len(d.upstream)-1 {
			s.version++
		}
	default:
		d.edit(s)
	}
	return s
}

// upgrade merges the next version of upstream: its changes arrive where local has upstream's values.
func (d *drawing) upgrade(s state) {
	if s.version == len(d.upstream)-1 {
		next := d.upstream[s.version].clone()
		d.edit(next)
		d.edit(next)
		d.upstream = append(d.upstream, next)
	}
	old, next := d.upstream[s.version], d.upstream[s.version+1]
	for id, t := range s.things {
		for name, value := range next.things[id].fields {
			if t.fields[name] == old.things[id].fields[name] {
				t.fields[name] = value
			}
		}
	}
}

// merged merges two versions: each field of one of them.
func (d *drawing) merged(a, b state) state {
	out := a.clone()
	for id, t := range out.things {
		for name := range b.things[id].fields {
			if d.IntN(2) == 0 {
				t.fields[name] = b.things[id].fields[name]
			}
		}
	}
	return out
}

// draw draws a history of some commits.
func draw(seed uint64, commits int) *drawing {
	d := &drawing{Rand: rand.New(rand.NewPCG(seed, 7))}
	first := state{things: map[int]thing{}, layout: d.Uint64()}
	for id := range 5 {
		first.things[id] = d.fresh(id)
	}
	d.upstream = []state{first.clone()}
	d.points = []point{{state: first}}
	for len(d.points) < commits {
		last := len(d.points) - 1
		if d.IntN(8) == 0 && last > 2 { // a branch from the commit before, and its merge
			side := point{state: d.points[last-1].clone(), parents: []int{last - 1}}
			d.edit(side.state)
			merge := point{state: d.merged(d.points[last].state, side.state), parents: []int{last, last + 1}}
			d.points = append(d.points, side, merge)
			continue
		}
		d.points = append(d.points, point{state: d.step(last), parents: []int{last}})
	}
	return d
}

// node is a value of a document: a map or list with keys has names, a value has none.
type node struct {
	names []string
	parts map[string]*node
	value string
}

func (n *node) put(steps []string, value string) {
	if len(steps) == 0 {
		n.value = value
		return
	}
	if n.parts == nil {
		n.parts = map[string]*node{}
	}
	if n.parts[steps[0]] == nil {
		n.names = append(n.names, steps[0])
		n.parts[steps[0]] = &node{}
	}
	n.parts[steps[0]].put(steps[1:], value)
}

// written is a file with the number of the thing in each line.
type written struct {
	text   bytes.Buffer
	things []int
	layout *rand.Rand
	indent int
	id     int
}

func (w *written) line(format string, args ...any) {
	fmt.Fprintf(&w.text, format+"\n", args...)
	w.things = append(w.things, w.id)
}

func (w *written) node(n *node, margin string, first string) {
	w.layout.Shuffle(len(n.names), func(i, j int) { n.names[i], n.names[j] = n.names[j], n.names[i] })
	for _, name := range n.names {
		part := n.parts[name]
		prefix := margin
		if first != "" {
			prefix, first = first, ""
		}
		switch {
		case part.names == nil:
			w.line("%s%s: %s", prefix, name, w.value(part.value))
		case strings.HasPrefix(part.names[0], "["):
			w.line("%s%s:", prefix, name)
			w.layout.Shuffle(len(part.names), func(i, j int) { part.names[i], part.names[j] = part.names[j], part.names[i] })
			for _, element := range part.names {
				w.node(part.parts[element], margin+"  ", margin+"- ")
			}
		default:
			w.line("%s%s:", prefix, name)
			w.node(part, margin+strings.Repeat(" ", w.indent), "")
		}
	}
}

func (w *written) value(text string) string {
	if strings.HasPrefix(text, "[") {
		return text
	}
	return []string{text, `"` + text + `"`, "'" + text + "'"}[w.layout.IntN(3)]
}

// steps splits a path of the drawn kind.
func steps(path string) (out []string) {
	before, after, isElement := strings.Cut(path, "[")
	out = strings.Split(before, ".")
	if isElement {
		key, rest, _ := strings.Cut(after, "]")
		out = append(out, "["+key+"]", strings.TrimPrefix(rest, "."))
	}
	return out
}

// files writes a version.
func (s state) files() map[string]*written {
	out := map[string]*written{}
	layout := rand.New(rand.NewPCG(s.layout, 1))
	indent := 2 + 2*layout.IntN(2)
	for _, id := range slices.Sorted(maps.Keys(s.things)) {
		t := s.things[id]
		w := out[t.file]
		if w == nil {
			w = &written{layout: layout, indent: indent}
			out[t.file] = w
		} else {
			w.id = -1
			w.line("---")
		}
		w.id = id
		root := &node{}
		for _, path := range slices.Sorted(maps.Keys(s.all(id))) {
			root.put(steps(path), s.all(id)[path])
		}
		if t.name != "" {
			w.line("apiVersion: apps/v1")
			w.line("kind: Deployment")
		}
		if t.comment != "" {
			w.line("metadata: # kpt-merge: /%s", t.comment)
			meta := root.parts["metadata"]
			w.node(meta, strings.Repeat(" ", indent), "")
			root.names = slices.DeleteFunc(root.names, func(name string) bool { return name == "metadata" })
		}
		w.node(root, "", "")
	}
	return out
}

// all returns the fields of a thing, and the fields that follow from these.
func (s state) all(id int) map[string]string {
	t, found := s.things[id]
	if !found {
		return nil
	}
	out := maps.Clone(t.fields)
	if t.name != "" {
		out["metadata.name"] = t.name
	}
	for path := range t.fields {
		if before, after, is := strings.Cut(path, "[name=\""); is {
			key, _, _ := strings.Cut(after, "\"")
			out[before+"[name=\""+key+"\"].name"] = key
		}
	}
	return out
}

// write writes the history into a repository, with git's ids.
func (d *drawing) write(t *testing.T, dir string) {
	var in bytes.Buffer
	blob := func(name, text string) {
		fmt.Fprintf(&in, "M 644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	for i, p := range d.points {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter A <a@example.com> %d +0000\ndata 1\nx\n", i+1, 1700000000+60*i)
		for n, parent := range p.parents {
			fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[n], parent+1)
		}
		in.WriteString("deleteall\n")
		files := p.files()
		for _, name := range slices.Sorted(maps.Keys(files)) {
			blob("shop/"+name, files[name].text.String())
		}
		blob("shop/lock", fmt.Sprint(p.version))
	}
	run(t, dir, nil, "init", "-q", "-b", "main")
	run(t, dir, &in, "fast-import", "--quiet", "--export-marks=marks")
	marks, err := os.ReadFile(filepath.Join(dir, "marks"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(marks)) {
		var mark int
		var id string
		if _, err := fmt.Sscanf(line, ":%d %s", &mark, &id); err != nil {
			t.Fatal(err)
		}
		d.points[mark-1].id = id
	}
	run(t, dir, nil, "checkout", "-q", "main")
}

func run(t *testing.T, dir string, in *bytes.Buffer, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
	if in != nil {
		cmd.Stdin = in
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %s", args, out)
	}
}

// commit looks at every commit: the newest one that gave a field its value, along commits that have it.
func (d *drawing) commit(id int, path, value string) int {
	has := func(at int) bool { return d.points[at].all(id)[path] == value }
	best, seen, open := -1, map[int]bool{}, []int{len(d.points) - 1}
	for len(open) > 0 {
		at := open[0]
		open = open[1:]
		if seen[at] || !has(at) {
			continue
		}
		seen[at] = true
		kept := false
		for _, parent := range d.points[at].parents {
			if has(parent) {
				kept = true
				open = append(open, parent)
			}
		}
		if !kept {
			best = max(best, at)
		}
	}
	return best
}

// since returns the first version from which on upstream has a value, -1 if the present one has another.
func (d *drawing) since(id int, path, value string) int {
	since := -1
	for v := d.points[len(d.points)-1].version; v >= 0 && d.upstream[v].all(id)[path] == value; v-- {
		since = v
	}
	return since
}

// isKnown reports whether upstream's version of a thing is known by its names, merge comment or file. Else it may be
// found by its values.
func (d *drawing) isKnown(id int) bool {
	head := d.points[len(d.points)-1]
	ours, theirs := head.things[id], d.upstream[head.version].things[id]
	return ours.name == theirs.name && (ours.name != "" || ours.file == theirs.file) || ours.comment == theirs.name && ours.name != ""
}

// TestLaw compares with an oracle that looks at every commit of drawn histories (rules/blame: commits).
func TestLaw(t *testing.T) {
	for number := range uint64(12 / seed.Step(3)) {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			t.Parallel()
			for _, hasLock := range []bool{false, true} {
				d := draw(number, 40)
				dir := t.TempDir()
				d.write(t, dir)
				checkLaw(t, d, dir, hasLock)
			}
		})
	}
}

// field is a field as the annotation has it in JSON.
type field struct {
	Line                                 int
	Path, Source, Version, Since, Commit string
}

func fieldsOf(t *testing.T, a *blame.Annotation) (fields []field) {
	t.Helper()
	var b bytes.Buffer
	if err := a.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func checkLaw(t *testing.T, d *drawing, dir string, hasLock bool) {
	options := blame.Options{Warn: func(err error) { t.Error(err) }}
	if hasLock {
		options.Locks, options.Lock = []string{"lock"}, func(_, _ string, text []byte) (*blame.Release, error) {
			var v int
			_, err := fmt.Sscan(string(text), &v)
			return &blame.Release{Name: fmt.Sprintf("v%d", v), Read: func(context.Context) (files []pkgmerge.File, err error) {
				for name, w := range d.upstream[v].files() {
					files = append(files, pkgmerge.File{Name: name, Data: w.text.Bytes()})
				}
				return files, nil
			}}, err
		}
		options.Rules = func([]byte) ([]pkgmerge.Rule, []int, error) { return nil, nil, nil }
	}
	head := d.points[len(d.points)-1]
	for name, w := range head.files() {
		options.File = filepath.Join(dir, "shop", name)
		a, err := blame.Run(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		fields := 0
		for _, f := range fieldsOf(t, a) {
			id := w.things[f.Line-1]
			value, drawn := head.all(id)[f.Path]
			if !drawn {
				continue
			}
			fields++
			since := -1
			if hasLock && (f.Source == "upstream" || d.isKnown(id)) {
				since = d.since(id, f.Path, value)
			}
			if since >= 0 {
				if f.Source != "upstream" || f.Since != fmt.Sprintf("v%d", since) || f.Version != fmt.Sprintf("v%d", head.version) {
					t.Errorf("%s:%d %s: %s %s since %s, want upstream v%d since v%d", name, f.Line, f.Path, f.Source, f.Version, f.Since, head.version, since)
				}
				continue
			}
			if want := d.points[d.commit(id, f.Path, value)].id; f.Source != "ours" || f.Commit != want {
				t.Errorf("%s:%d %s: %s %s, want ours %s", name, f.Line, f.Path, f.Source, f.Commit, want)
			}
		}
		if fields == 0 {
			t.Errorf("%s has no field", name)
		}
	}
}
