package pkgmerge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// Notice is a sentence about something that is not a conflict (rules/conflicts: results).
type Notice struct {
	// Warning says that the user should act; another notice informs.
	Warning bool
	// Change is the subject of the notice, nil if that is Resource, File or the package.
	Change *Change
	// Resource is a version of a resource that cannot be used unchanged, and Path one of its fields.
	Resource *Resource
	Path     string
	// File is a file without resources.
	File string
	Text string
}

// note is a Notice about one resource.
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

// otherNamespaces tells in one notice which of local's resources were matched in another namespace than
// upstream's, without a merge comment (rules/identity: replaced namespaces).
func otherNamespaces(all []*Change) []Notice {
	var matched []*Change
	var moves []string
	for _, c := range all {
		if !c.how.OtherNamespace {
			continue
		}
		matched = append(matched, c)
		from, to := c.counterpart().Meta.Namespace, c.Versions[identity.Local].Meta.Namespace
		if move := cmp.Or(from, "none") + " is " + cmp.Or(to, "none"); !slices.Contains(moves, move) {
			moves = append(moves, move)
		}
	}
	if len(matched) == 0 {
		return nil
	}
	const most = 3
	if len(moves) > most {
		moves = append(moves[:most], wording.Ellipsis)
	}
	are := "were"
	if len(matched) == 1 {
		are = "was"
	}
	return []Notice{{Text: fmt.Sprintf(
		"%s %s matched by name, such as %s %s: local has replaced the namespace (%s); merge comments make the match last",
		wording.Plural(len(matched), "resource"), are, matched[0].ID.Kind, matched[0].ID.Name, strings.Join(moves, ", "))}}
}

// home is a namespace of upstream's package or of origin's. Resources without a namespace are told apart
// by kind, because their kind may be cluster-scoped.
type home struct{ kind, namespace string }

func homeOf(m identity.Meta) home {
	if m.Namespace == "" {
		return home{kind: m.Kind}
	}
	return home{namespace: m.Namespace}
}

// strays tells, once for each namespace, of resources that upstream added in a namespace that local
// moved the whole package away from: an addition keeps upstream's.
func strays(all []*Change) []Notice {
	to := abandoned(all)
	var homes []home
	added := map[home][]*Change{}
	for _, c := range all {
		at := homeOf(c.resultMeta())
		if c.Action != Added || to[at] == "" {
			continue
		}
		if added[at] == nil {
			homes = append(homes, at)
		}
		added[at] = append(added[at], c)
	}
	var notices []Notice
	for _, at := range homes {
		notices = append(notices, strayed(added[at], at, to[at]))
	}
	return notices
}

// abandoned returns the namespaces that local moved all resources away from, with the first new one.
func abandoned(all []*Change) map[home]string {
	to, stays := map[home]string{}, map[home]bool{}
	for _, c := range all {
		l, was := c.Versions[identity.Local], c.counterpart()
		if l == nil || was == nil || was.Meta.Naming == identity.ByPath {
			continue
		}
		from := homeOf(was.Meta)
		stays[from] = stays[from] || l.Meta.Namespace == was.Meta.Namespace
		to[from] = cmp.Or(to[from], l.Meta.Namespace)
	}
	maps.DeleteFunc(to, func(from home, _ string) bool { return stays[from] })
	return to
}

// strayed tells of resources that were added in a namespace that local left for another.
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
