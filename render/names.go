package render

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// randomName is a name that two renders of one version have differently.
type randomName struct {
	kind, namespace string
	names           [2]string
	prefix, suffix  string // the common part of the names, in whole words
}

// isLike reports whether two names are made by one rule.
func (n randomName) isLike(other randomName) bool {
	return n.kind == other.kind && n.namespace == other.namespace && n.prefix == other.prefix && n.suffix == other.suffix
}

// renaming is a random name in the renders, and the name that they get instead.
type renaming struct {
	kind, to string
	isLocals bool
}

// String says the renaming for people.
func (r renaming) String() string {
	if r.isLocals {
		return fmt.Sprintf("%s %s: its name is random; yours stays", r.kind, r.to)
	}
	return fmt.Sprintf("%s %s: its name is random, and new", r.kind, r.to)
}

// sameNames gives resources whose names differ between two renders of one version local's names, else the
// ones of the first render, and the references to them, too.
func (r *Renders) sameNames(both *[2]renderPair, local pkgmerge.Package) error {
	before, after := randomNames(both[0]), randomNames(both[1])
	var changes [2][2][]string // pairs of names, by version and render
	change := func(version int, n randomName, to string) {
		for i, name := range n.names {
			changes[version][i] = append(changes[version][i], name, to)
		}
	}
	used := map[string]bool{}
	take := func(n, first randomName, versions ...int) {
		name, found := localName(n, local, both, used)
		if !found {
			name = first.names[0]
		}
		used[n.kind+" "+name] = true
		r.names = append(r.names, renaming{n.kind, name, found})
		for _, version := range versions {
			change(version, [2]randomName{first, n}[version], name)
		}
	}
	for _, n := range before {
		at := slices.IndexFunc(after, n.isLike)
		if at < 0 {
			take(n, n, 0)
			continue
		}
		take(after[at], n, 0, 1)
		after = append(after[:at:at], after[at+1:]...)
	}
	for _, n := range after {
		take(n, n, 1)
	}
	return r.rename(both, changes)
}

// rename replaces names in the renders, by version and render.
func (r *Renders) rename(both *[2]renderPair, changes [2][2][]string) (err error) {
	for version := range both {
		for i, pairs := range changes[version] {
			if len(pairs) == 0 {
				continue
			}
			text := both[version][i].Files[0].Data
			for ; len(pairs) > 0; pairs = pairs[2:] {
				text = replaceWords(text, pairs[0], pairs[1])
			}
			if both[version][i], err = r.newPackage(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// randomNames pairs the resources that one of two renders has, in their order.
func randomNames(renders renderPair) (names []randomName) {
	first, second := namesOnlyIn(renders[0], renders[1]), namesOnlyIn(renders[1], renders[0])
	for _, a := range first {
		for i, b := range second {
			if a.kind != b.kind || a.namespace != b.namespace {
				continue
			}
			a.names[1] = b.names[0]
			a.prefix, a.suffix = common(a.names[0], a.names[1])
			names, second = append(names, a), append(second[:i:i], second[i+1:]...)
			break
		}
	}
	return names
}

// namesOnlyIn returns the names of the resources that another render lacks.
func namesOnlyIn(p, other pkgmerge.Package) (names []randomName) {
	known := map[randomName]bool{}
	nameOf := func(r *pkgmerge.Resource) randomName {
		return randomName{kind: r.Meta.Kind, namespace: r.Meta.Namespace, names: [2]string{r.Meta.Name}}
	}
	for _, r := range other.Resources {
		known[nameOf(r)] = true
	}
	for _, r := range p.Resources {
		if n := nameOf(r); !known[n] && r.Meta.Name != "" {
			names = append(names, n)
		}
	}
	return names
}

// localName returns the name of local's resource that was made by the rule of a random name, and that no render has.
func localName(n randomName, local pkgmerge.Package, both *[2]renderPair, used map[string]bool) (string, bool) {
	for _, r := range local.Resources {
		name := r.Meta.Name
		isMade := r.Meta.Kind == n.kind && len(name) > len(n.prefix)+len(n.suffix) && strings.HasPrefix(name, n.prefix) && strings.HasSuffix(name, n.suffix)
		if isMade && !used[n.kind+" "+name] && !has(both[0][0], n.kind, name) && !has(both[1][0], n.kind, name) {
			return name, true
		}
	}
	return "", false
}

func has(p pkgmerge.Package, kind, name string) bool {
	return slices.ContainsFunc(p.Resources, func(r *pkgmerge.Resource) bool {
		return r.Meta.Kind == kind && r.Meta.Name == name
	})
}

// common returns the words that two names begin and end with, with the characters that separate them.
func common(a, b string) (prefix, suffix string) {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	prefix = a[:strings.LastIndexAny(a[:n], "-._")+1]
	a, b = a[len(prefix):], b[len(prefix):]
	n = 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	suffix = a[len(a)-n:]
	if at := strings.IndexAny(suffix, "-._"); at >= 0 {
		return prefix, suffix[at:]
	}
	return prefix, ""
}

// movable is the part of a resource's identity that stays when its namespace changes.
type movable struct{ group, kind, name string }

// moves returns renames for the resources that are in another namespace in upstream's version than in origin's, such as
// in one at all: charts begin to write the namespace of the release.
func moves(origin, upstream pkgmerge.Package) (all []identity.Rename) {
	before, order := movables(origin, upstream)
	after, _ := movables(upstream, origin)
	for _, n := range order {
		if len(before[n]) != 1 || len(after[n]) != 1 || after[n][0].Meta.Namespace == "" {
			continue
		}
		from, to := n.name, after[n][0].Meta.Namespace+"/"+n.name
		if namespace := before[n][0].Meta.Namespace; namespace != "" {
			from = namespace + "/" + from
		}
		all = append(all, identity.Rename{Group: &n.group, Kind: n.kind, From: from, To: to})
	}
	return all
}

// movables returns the resources of a package that another one lacks, without their namespaces.
func movables(p, other pkgmerge.Package) (out map[movable][]*pkgmerge.Resource, order []movable) {
	known := map[identity.ID]bool{}
	for _, r := range other.Resources {
		known[r.ID()] = true
	}
	out = map[movable][]*pkgmerge.Resource{}
	for _, r := range p.Resources {
		if n := (movable{identity.Group(r.Meta.APIVersion), r.Meta.Kind, r.Meta.Name}); !known[r.ID()] && n.name != "" {
			out[n], order = append(out[n], r), append(order, n)
		}
	}
	return out, order
}

// replaceWords replaces a name where it is no part of a longer one.
func replaceWords(text []byte, from, to string) []byte {
	isPart := func(r rune) bool { return r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	var out bytes.Buffer
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(from))
		if i < 0 {
			out.Write(text[at:])
			return out.Bytes()
		}
		start, end := at+i, at+i+len(from)
		before, _ := utf8.DecodeLastRune(text[:start])
		after, _ := utf8.DecodeRune(text[end:])
		out.Write(text[at:start])
		if isPart(before) || isPart(after) {
			out.WriteString(from)
		} else {
			out.WriteString(to)
		}
		at = end
	}
}
