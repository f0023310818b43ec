package pkgmerge

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// Notice is a sentence about something that is no conflict (rules/conflicts: results).
type Notice struct {
	// Warning says that somebody should have a look; another notice informs.
	Warning bool
	// Change is what the notice is about, nil if it is about Resource, or about the
	// package.
	Change *Change
	// Resource is a version of a resource that cannot be used as it is, nil if the
	// notice is about something else.
	Resource *Resource
	// Path is that of a field of Resource.
	Path string
	// File is a file of no resource that the notice is about, "" if the notice is
	// about something else.
	File string
	Text string
}

// note is what a Notice says of one resource.
type note struct {
	warning bool
	text    string
}

// malformedComments warns of merge comments that cannot be read.
func (m *merger) malformedComments() []Notice {
	var out []Notice
	for _, r := range m.resources() {
		if !bookkeeping.IsMergeComment(r.Meta.Comment) {
			continue
		}
		if _, err := identity.ParseComment(r.Meta.Comment); err != nil {
			out = append(out, Notice{Warning: true, Resource: r, Text: fmt.Sprintf("%s: %v; it is ignored", r, err)})
		}
	}
	return out
}

// otherNamespaces says once for all resources which of local's were found in another
// namespace than upstream's, without a merge comment (rules/identity: replaced
// namespaces).
func otherNamespaces(all []*Change) []Notice {
	var moves []string
	seen := map[string]bool{}
	var first *Change
	count := 0
	for _, m := range all {
		if !m.how.OtherNamespace {
			continue
		}
		if first == nil {
			first = m
		}
		count++
		move := namespaceName(m.counterpart().Meta.Namespace) + " is " + namespaceName(m.Versions[identity.Local].Meta.Namespace)
		if !seen[move] {
			seen[move], moves = true, append(moves, move)
		}
	}
	if count == 0 {
		return nil
	}
	const most = 3
	if len(moves) > most {
		moves = append(moves[:most], wording.Ellipsis)
	}
	are := "were"
	if count == 1 {
		are = "was"
	}
	return []Notice{{Text: fmt.Sprintf(
		"%s %s matched by name, such as %s %s: local has replaced the namespace (%s); merge comments make the match last",
		wording.Plural(count, "resource"), are, first.ID.Kind, first.ID.Name, strings.Join(moves, ", "))}}
}

func namespaceName(namespace string) string {
	if namespace == "" {
		return "none"
	}
	return namespace
}

// home is a namespace of upstream's package, or of origin's. Whether a kind has
// a namespace at all is known only of one that somebody gave it, so what has
// none is told apart by kind.
type home struct{ kind, namespace string }

func homeOf(m identity.Meta) home {
	if m.Namespace == "" {
		return home{kind: m.Kind}
	}
	return home{namespace: m.Namespace}
}

// strays tells, once for each namespace, of resources that upstream added in a
// namespace that local moved the whole package away from: an addition keeps
// upstream's.
func strays(all []*Change) []Notice {
	to := abandoned(all)
	var homes []home
	added := map[home][]*Change{}
	for _, m := range all {
		at := homeOf(m.resultMeta())
		if m.Action != Added || to[at] == "" {
			continue
		}
		if added[at] == nil {
			homes = append(homes, at)
		}
		added[at] = append(added[at], m)
	}
	var notices []Notice
	for _, at := range homes {
		notices = append(notices, strayed(added[at], at, to[at]))
	}
	return notices
}

// abandoned are the namespaces that all of local's resources were moved away
// from, with the first one that they are in now.
func abandoned(all []*Change) map[home]string {
	to, stays := map[home]string{}, map[home]bool{}
	for _, m := range all {
		l, was := m.Versions[identity.Local], m.counterpart()
		switch {
		case l == nil || was == nil || was.Meta.Naming == identity.ByPath:
		case l.Meta.Namespace == was.Meta.Namespace:
			stays[homeOf(was.Meta)] = true
		case to[homeOf(was.Meta)] == "":
			to[homeOf(was.Meta)] = l.Meta.Namespace
		}
	}
	for at := range stays {
		delete(to, at)
	}
	return to
}

// strayed says that resources were added in a namespace that local left for
// another. One is named by the notice, several are counted in it.
func strayed(added []*Change, at home, to string) Notice {
	out, where := Notice{Change: added[0], Text: "added"}, "upstream's namespace"
	if len(added) > 1 {
		out = Notice{Text: fmt.Sprintf("%s such as %s %s were added", wording.Plural(len(added), "resource"), added[0].ID.Kind, added[0].ID.Name)}
		where = "namespace " + at.namespace
	}
	if at.namespace == "" {
		out.Text += fmt.Sprintf(" without a namespace, as upstream has it; local gave every other %s one: %s", at.kind, to)
	} else {
		out.Text += fmt.Sprintf(" in %s, where local has nothing else; local's are in %s", where, to)
	}
	return out
}
