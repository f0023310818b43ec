package mergecheck

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// Package is a merge of the files of a package: what is to be checked.
type Package struct {
	// Origin, Upstream, Local and Result are files by name. The result's may have
	// conflict markers.
	Origin, Upstream, Local, Result map[string]string
	// Told has the reported conflicts and infos.
	Told []Told
	// Marks says that collisions are between markers. Then different additions of both sides
	// have to be, too.
	Marks bool
	// Git says that the package is a file that git's driver merged: nothing is told, text of
	// several lines may be merged line by line without a word, and a null is a value.
	Git bool
	// Same maps the identities of documents that a side renamed, written as "Kind namespace/name", to one name for all
	// versions of a document: a test knows it that has drawn them.
	Same map[string]string
	// Ordered says that the order of lists without keys counts.
	Ordered bool
	// Newest says that git's driver was to take the newest of two versions.
	Newest bool
	// Schema describes the kinds.
	Schema *schema.Schema
}

// Told is a conflict that was reported, or an info.
type Told struct {
	// Kind, Namespace and Name are the resource's, as some version has them; a file without
	// resources has none.
	Kind, Namespace, Name string
	// File is the file's name below the top of the package.
	File string
	// Path is the field's, "" for the whole.
	Path string
	// Conflict is the kind of the conflict, "" for an info.
	Conflict string
	// Lines says that a string was merged line by line, Elements that a list without keys was
	// merged element by element, Comment that the conflict is about a comment.
	Lines, Elements, Comment bool
	// Joined says that both sides added a map, and the result has the fields of both: each is a change like others.
	Joined bool
}

// document is a resource of a version: a document of a file.
type document struct {
	root *yaml.Node
	file string
	// own is its identity by its own metadata, who the one by its merge comment.
	own, who string
}

// CheckPackage returns the faults of a merge of packages, none if all is conserved.
func CheckPackage(p Package) []string {
	var out []string
	var read [versions]reading
	texts := map[string]bool{} // the files that are not YAML on some side
	for v, files := range []map[string]string{p.Origin, p.Upstream, p.Local, p.Result, p.Result} {
		read[v] = p.readFiles(files, Version(v))
		if v < int(Result) {
			for name := range read[v].texts {
				texts[name] = true
			}
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(read[v].texts)) {
			if !texts[name] {
				out = append(out, fmt.Sprintf("%s: %s has no YAML that can be read", name, Version(v)))
			}
		}
	}
	for v := range read {
		read[v].leaveOut(texts)
	}
	all := p.merges(read)
	for _, m := range all {
		if m.onlyRenamed() || m.copiesDeleted(all) {
			continue
		}
		for _, text := range Check(m.Merge) {
			out = append(out, m.who+": "+text)
		}
	}
	return append(out, p.textFiles(read)...)
}

// reading has the contents of a version of a package: documents, and the texts of other files.
type reading struct {
	documents []document
	texts     map[string]string
}

// leaveOut drops the documents of files that are compared as text.
func (r *reading) leaveOut(texts map[string]bool) {
	r.documents = slices.DeleteFunc(r.documents, func(d document) bool { return texts[d.file] })
}

// readFiles reads the files of a version. Of a result with markers, Result has ours of each
// marker, and Marked has theirs.
func (p Package) readFiles(files map[string]string, v Version) reading {
	out := reading{texts: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text := files[name]
		if v == Result || v == Marked {
			text = sideOf(text, v == Marked)
		}
		roots, ok := parse(text)
		if !ok || !isYAML(name) {
			out.texts[name] = text
			continue
		}
		for i, root := range roots {
			out.documents = append(out.documents, p.documentOf(root, name, i))
		}
	}
	return out
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".json") || !strings.Contains(name[strings.LastIndex(name, "/")+1:], ".")
}

// sideOf is a text that has one side of each conflict marker.
func sideOf(text string, theirs bool) string {
	var b strings.Builder
	const outside, ours, base, other = 0, 1, 2, 3
	at := outside
	for line := range strings.Lines(text) {
		is := func(mark string) bool {
			return strings.HasPrefix(line, mark) && (len(line) == 7 || strings.ContainsRune(" \r\n", rune(line[7])))
		}
		switch {
		case at == outside && is("<<<<<<<"):
			at = ours
		case at == ours && is("|||||||"):
			at = base
		case (at == ours || at == base) && is("======="):
			at = other
		case at == other && is(">>>>>>>"):
			at = outside
		case at == outside, at == ours && !theirs, at == other && theirs:
			b.WriteString(line)
		}
	}
	return b.String()
}

// parse parses the documents of a text; ok is false if it is not YAML of mappings.
func parse(text string) (roots []*yaml.Node, ok bool) {
	defer func() {
		if recover() != nil {
			roots, ok = nil, false
		}
	}()
	if !strings.HasSuffix(text, "\n") {
		text += "\n" // without it the parser gives the last comment to another field
	}
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	for {
		var n yaml.Node
		if err := decoder.Decode(&n); err != nil {
			return roots, err.Error() == "EOF"
		}
		if len(n.Content) == 0 || n.Content[0].Tag == "!!null" {
			continue
		}
		if n.Content[0].Kind != yaml.MappingNode || twice(n.Content[0]) {
			return nil, false
		}
		roots = append(roots, n.Content[0])
	}
}

// twice reports whether a key is twice in a map.
func twice(n *yaml.Node) bool {
	seen := map[string]bool{}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Tag != "!!merge" {
			if seen[c.Tag+c.Value] {
				return true
			}
			seen[c.Tag+c.Value] = true
		}
		if twice(c) {
			return true
		}
	}
	return false
}

// documentOf returns a document with its identities.
func (p Package) documentOf(root *yaml.Node, file string, index int) document {
	metadata := field(root, "metadata")
	kind, name, namespace := textOf(field(root, "kind")), textOf(field(metadata, "name")), textOf(field(metadata, "namespace"))
	group, _, found := strings.Cut(textOf(field(root, "apiVersion")), "/")
	if !found {
		group = ""
	}
	cluster := p.Schema.ClusterScoped(group, kind)
	who := func(namespace, name string) string {
		if cluster {
			namespace = ""
		}
		return kind + " " + namespace + "/" + name
	}
	d := document{root: root, file: file, own: who(namespace, name)}
	if kind == "" || name == "" { // it may get its kind
		d.own = fmt.Sprintf("#%d in %s", index, file)
	}
	d.who = cmp.Or(p.Same[d.own], d.own)
	if p.Git {
		return d
	}
	for i, c := range root.Content {
		if i%2 == 0 && c.Value == "metadata" {
			for _, at := range root.Content[i : i+2] {
				if _, comment, found := strings.Cut(at.LineComment, "kpt-merge:"); found && strings.Contains(comment, "/") {
					namespace, name, _ := strings.Cut(comment, "/")
					d.who = who(strings.TrimSpace(namespace), strings.TrimSpace(name))
				}
			}
		}
	}
	return d
}

// versionsOf is the merge of one resource.
type versionsOf struct {
	Merge
	who string
}

// Renames reports whether upstream or local lacks a document of origin's and has one that origin
// lacks: it may be one that was renamed, which git's driver follows, and the check does not.
func (p Package) Renames() bool {
	var names [versions]map[string]bool
	for v, files := range []map[string]string{p.Origin, p.Upstream, p.Local} {
		names[v] = map[string]bool{}
		for _, d := range p.readFiles(files, Version(v)).documents {
			names[v][d.own] = true
		}
	}
	lacks := func(a, b Version) bool {
		for name := range names[a] {
			if !names[b][name] {
				return true
			}
		}
		return false
	}
	return lacks(Origin, Upstream) && lacks(Upstream, Origin) || lacks(Origin, Local) && lacks(Local, Origin)
}

// merges lays the versions of each resource beside each other. A resource of local's without
// a merge comment is the one that the result says it is.
func (p Package) merges(read [versions]reading) []*versionsOf {
	renamed := map[string]string{}
	for _, d := range read[Result].documents {
		renamed[d.own], renamed[d.own+" in "+d.file] = d.who, d.who
	}
	var order []*versionsOf
	index := map[string]*versionsOf{}
	names := map[string]*versionsOf{}
	several := severalTimes(read)
	for v, r := range read {
		seen := map[string]int{}
		for _, d := range r.documents {
			who := d.who
			if to := cmp.Or(renamed[d.own+" in "+d.file], renamed[d.own]); Version(v) == Local && d.own == d.who && to != "" {
				who = to
			}
			if several[who] {
				who += " in " + d.file
			}
			seen[who]++
			if n := seen[who]; n > 1 {
				who = fmt.Sprintf("%s (%d)", who, n)
			}
			if index[who] == nil {
				index[who] = &versionsOf{who: who}
				order = append(order, index[who])
			}
			index[who].Documents[v] = d.root
			for _, name := range []string{d.own, d.who} {
				names[name], names[name+" in "+d.file] = index[who], index[who]
			}
		}
	}
	for _, told := range p.Told {
		if told.Joined {
			continue
		}
		who := told.Kind + " " + told.Namespace + "/" + told.Name
		m := cmp.Or(names[who+" in "+told.File], names[who])
		if m == nil {
			for who, other := range names {
				if told.Name == "" && strings.HasPrefix(who, "#") && strings.HasSuffix(who, " in "+told.File) {
					other.tell(told)
				}
			}
			continue
		}
		m.tell(told)
	}
	follow(read)
	for _, m := range order {
		m.Marks = p.Marks
		kind := p.kindOf(m.Documents[:Result])
		m.Newest, m.Ordered = p.Newest, p.Ordered
		if m.Silent = p.Git; !p.Git {
			m.Nulls = NullsOf(kind, m.Documents[:Result]...)
		}
		m.Keys, m.Scalars = KeysOf(kind, m.Documents[:Result]...), ScalarsOf(kind, m.Documents[:Result]...)
	}
	return order
}

// follow writes origin's namespaces in the values of all versions as the side does that moved resources to others: a
// reference that follows is no change (rules/fields: references that follow). The documents keep their own namespaces.
func follow(read [versions]reading) {
	namespaces := func(d document) (thing, namespace string) {
		metadata := field(d.root, "metadata")
		return textOf(field(d.root, "kind")) + " " + textOf(field(metadata, "name")), textOf(field(metadata, "namespace"))
	}
	was, moves := map[string]string{}, map[string]string{}
	for _, d := range read[Origin].documents {
		thing, namespace := namespaces(d)
		was[thing] = namespace
	}
	for _, d := range slices.Concat(read[Upstream].documents, read[Local].documents) {
		if thing, to := namespaces(d); was[thing] != "" && to != "" && was[thing] != to {
			moves[was[thing]] = to
		}
	}
	for _, r := range read {
		for _, d := range r.documents {
			followIn(d.root, moves, 0)
		}
	}
}

func followIn(n *yaml.Node, moves map[string]string, depth int) {
	if n == nil || len(moves) == 0 {
		return
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		words := strings.Split(n.Value, ".")
		for i, word := range words {
			words[i] = cmp.Or(moves[word], word)
		}
		n.Value = strings.Join(words, ".")
	}
	for i, c := range n.Content {
		isOwn := depth == 1 && n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "namespace"
		if !isOwn && (n.Kind != yaml.MappingNode || i%2 == 1) {
			followIn(c, moves, depth+1)
		}
	}
}

// severalTimes are the identities that a version has in several files: each of these is one for
// itself, as a base and its overlays have them.
func severalTimes(read [versions]reading) map[string]bool {
	out := map[string]bool{}
	for _, r := range read {
		files := map[string]string{}
		for _, d := range r.documents {
			if file, found := files[d.who]; found && file != d.file {
				out[d.who] = true
			}
			files[d.who] = d.file
		}
	}
	return out
}

// onlyRenamed reports whether upstream deleted what local had only renamed, or moved to another
// namespace: that goes without a conflict (rules/resources: additions and deletions).
func (m *versionsOf) onlyRenamed() bool {
	o, l := m.Documents[Origin], m.Documents[Local]
	return o != nil && l != nil && m.Documents[Upstream] == nil && m.Documents[Result] == nil && nameless(o) == nameless(l)
}

// copiesDeleted reports whether a resource of local's that is gone is a copy, under another name
// or in another namespace, of one that upstream deleted: it is that one.
func (m *versionsOf) copiesDeleted(all []*versionsOf) bool {
	o, u, l, r := m.Documents[Origin], m.Documents[Upstream], m.Documents[Local], m.Documents[Result]
	return o == nil && u == nil && l != nil && r == nil && slices.ContainsFunc(all, func(other *versionsOf) bool {
		o, u := other.Documents[Origin], other.Documents[Upstream]
		return o != nil && u == nil && nameless(o) == nameless(l)
	})
}

// nameless is a resource without its name and namespace.
func nameless(n *yaml.Node) string {
	n = cut(cut(plain(n), []string{"metadata", "name"}), []string{"metadata", "namespace"})
	return whole(n, scalar)
}

func (m *versionsOf) tell(t Told) {
	switch {
	case t.Lines:
		m.Lines = append(m.Lines, t.Path)
	case t.Elements:
		m.Elements = append(m.Elements, t.Path)
	case t.Comment:
		m.Comments = append(m.Comments, t.Path)
	default:
		m.Conflicts = append(m.Conflicts, t.Path)
	}
}

// kindOf returns the schema's knowledge of a resource's kind.
func (p Package) kindOf(documents []*yaml.Node) schema.Resource {
	var group, version, kind string
	for _, n := range documents {
		if n == nil {
			continue
		}
		found := false
		apiVersion := textOf(field(n, "apiVersion"))
		if group, version, found = strings.Cut(apiVersion, "/"); !found {
			group, version = "", apiVersion
		}
		kind = textOf(field(n, "kind"))
	}
	return p.Schema.Resource(group, version, kind)
}
