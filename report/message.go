package report

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

const (
	// MaxMessage is how long a message may be, in bytes, before its path is cut: a
	// line of a console. Long values may make it longer.
	MaxMessage = 160
	// maxWho is the longest name of a resource in a message that is too long.
	maxWho = 64
	// minPath is what stays of a path in such a message.
	minPath = 48
	// nothingMerged is how a conflict of a run that failed ended.
	nothingMerged = "nothing was merged"
	// maxValue is the longest value in a result, in bytes (design 5).
	maxValue = 256
	// ShortValue is the longest value in a message, in bytes (design 5).
	ShortValue = 48
)

// message says in one sentence which resource and field, what both sides did
// and what was taken. Where that is too long for a line, the beginning of the
// path goes, and the end of a long name; the values always stand there, except
// of secrets.
func message(m *pkgmerge.Change, c merge.Conflict, failed bool) string {
	who, path := subject(m), c.Path
	end := taken(c)
	if failed {
		end = nothingMerged
	}
	if path == nil && m.IsPackage() {
		who = "package " + m.Package()
	}
	if member := m.Member(); member != nil {
		return line(who, path, strings.TrimSuffix(brief(c), "it")+subjectOf(member, member.File)+" in it; "+end)
	}
	if showsValues(m, c) {
		return line(who, path, sentence(c, end))
	}
	return line(who, path, brief(c)+"; "+end)
}

// remarkMessage says in one sentence what was done at a path that both sides
// changed.
func remarkMessage(m *pkgmerge.Change, remark merge.Remark) string {
	c := merge.Conflict{Kind: merge.BothChanged, Path: remark.Path, Values: remark.Values}
	end := ""
	switch remark.Kind {
	case merge.LinesMerged:
		end = "the result has the lines of both"
	case merge.UnionTaken:
		end = "the result has what each side added"
	case merge.CommentReplaced:
		return line(subject(m), remark.Path, commentSentence(remark.Values, showsComment(m, remark.Path)))
	}
	if showsValues(m, c) {
		return line(subject(m), remark.Path, sentence(c, end))
	}
	return line(subject(m), remark.Path, brief(c)+"; "+end)
}

// line puts a message together: who, path and what is said of them.
func line(who string, at *merge.Path, said string) string {
	path := at.String()
	if path != "" {
		path = " " + path
	}
	said = ": " + said
	if len(who)+len(path)+len(said) <= MaxMessage {
		return who + path + said
	}
	who = wording.Cut(who, maxWho)
	return who + wording.CutFront(path, max(MaxMessage-len(who)-len(said), minPath)) + said
}

// subject names a resource as the user knows it: kind, namespace and name of
// the local copy.
func subject(m *pkgmerge.Change) string { return subjectOf(m.Newest(), m.File()) }

func subjectOf(it *pkgmerge.Resource, file string) string {
	name := it.Meta.Name
	if it.Meta.Naming == identity.ByPath {
		name = file
	}
	if it.Meta.Namespace != "" {
		name = it.Meta.Namespace + "/" + name
	}
	return strings.TrimSpace(it.Meta.Kind + " " + name)
}

// sentence says what both sides did, with the values, and how it ended.
func sentence(c merge.Conflict, end string) string {
	o, u, l := c.Values[identity.Origin], c.Values[identity.Upstream], c.Values[identity.Local]
	if addedBesideSwitch(c) {
		return besideSwitch(c, true) + "; " + end
	}
	switch c.Kind {
	case merge.UpstreamDeleted:
		return "upstream deleted it, local had changed " + changeOf(o, l) + "; " + end
	case merge.LocalDeleted:
		if o == nil {
			return brief(c) + "; " + end // see triple.withheld
		}
		return "local had deleted it, upstream changed " + changeOf(o, u) + "; " + end
	case merge.Order:
		u, l = labels(u), labels(l)
		return "both sides reordered the list, upstream" + setTo(u, l) + ", local" + setTo(l, u) + "; " + end
	case merge.DuplicateKey:
		return brief(c) + ", upstream" + setTo(u, l) + ", local" + setTo(l, u) + "; " + end
	}
	return "upstream" + verb(u) + setTo(u, l) + ", local" + setTo(l, u) + "; " + end
}

// verb is that of a side that set a value; setTo has that of one that has none.
func verb(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return " set it"
}

// setTo says what a value is now, beside the one that it differs from.
func setTo(n, other *yaml.Node) string {
	if n == nil {
		return " removed it"
	}
	return " to " + excerpt(n, other)
}

// commentSentence says what both sides did to a comment, whose text is shown if
// shown says so.
func commentSentence(values [3]*yaml.Node, shown bool) string {
	u, l := values[identity.Upstream], values[identity.Local]
	if !shown || u == nil || l == nil {
		return "both sides changed the comment; upstream's was taken"
	}
	return "upstream set the comment" + setTo(u, l) + ", local" + setTo(l, u) + "; upstream's was taken"
}

// brief is sentence without values and end.
func brief(c merge.Conflict) string {
	if addedBesideSwitch(c) {
		return besideSwitch(c, false)
	}
	switch c.Kind {
	case merge.UpstreamDeleted:
		return "upstream deleted it, local had changed it"
	case merge.LocalDeleted:
		if c.Values[identity.Origin] == nil {
			return "upstream added it, local has several of its name in that file already"
		}
		return "local had deleted it, upstream changed it"
	case merge.Order:
		return "both sides reordered the list"
	case merge.DuplicateKey:
		return "both sides changed elements that no key tells apart"
	case merge.KindChanged:
		return "both sides changed it, to different kinds of value"
	}
	return "both sides changed it"
}

// taken says which version the result has.
func taken(c merge.Conflict) string {
	switch {
	case addedBesideSwitch(c):
		return "it was left out"
	case c.Kind == merge.UpstreamDeleted && c.Chosen == identity.Upstream:
		return "deleted"
	case c.Kind == merge.LocalDeleted && c.Values[identity.Origin] == nil:
		return "it was left out"
	case c.Kind == merge.LocalDeleted && c.Chosen == identity.Local:
		return "it stays deleted"
	case c.Chosen == identity.Local:
		return "local's" + part(c) + " was kept"
	}
	return "upstream's" + part(c) + " was taken"
}

// part names the part of an image that the sides disagree about.
func part(c merge.Conflict) string {
	if c.Part == "" {
		return ""
	}
	return " " + c.Part
}

// showsValues reports whether the values of a conflict may be shown. Of what may
// hold secrets only its type and the names in its metadata are (design 5).
func showsValues(m *pkgmerge.Change, c merge.Conflict) bool {
	path := c.Path.String()
	switch path {
	case "type", "metadata.name", "metadata.namespace", "metadata.generateName":
		return true
	}
	return showsComment(m, c.Path)
}

// showsComment reports whether a comment at a path may be shown: of what may hold
// secrets, none.
func showsComment(m *pkgmerge.Change, at *merge.Path) bool {
	path := at.String()
	return !slices.ContainsFunc(m.Versions[:], func(it *pkgmerge.Resource) bool { return it != nil && mayHoldSecret(it.Meta.Kind, path) })
}

// mayHoldSecret reports whether the value at a path of a kind may hold a secret: a
// Secret, a list unless the path leads into an item of another kind, and what a
// Kustomization makes Secrets of.
func mayHoldSecret(kind, path string) bool {
	switch kind {
	case "Secret", "SecretList":
		return true
	case "List":
		return !strings.Contains(path, `kind="`) || strings.Contains(path, `kind="Secret`) || strings.Contains(path, `kind="List"`)
	case "Kustomization", "Component":
		return path == "" || strings.HasPrefix(path, "secretGenerator")
	}
	return false
}
