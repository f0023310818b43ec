package report

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// message says in one sentence which resource and field, what both sides did
// and what was taken. Where that is too long for a line, the beginning of the
// path goes, and the end of a long name; the values always stand there, except
// of secrets.
func message(m *pkgmerge.Change, c merge.Conflict, failed bool) string {
	end := taken(c)
	switch {
	case failed && isOfApply(c):
		end = nothingApplied
	case failed:
		end = nothingMerged
	}
	return ended(m, c, end)
}

// ended is message with an end of its own.
func ended(m *pkgmerge.Change, c merge.Conflict, end string) string {
	return collision(m, c, end) + "; " + end
}

// collision is message without its end, for which it leaves room.
func collision(m *pkgmerge.Change, c merge.Conflict, end string) string {
	who, path, room := subject(m), shownPath(m, c.Path), len("; "+end)
	if path == nil && m.IsPackage() {
		who = "package " + m.Package()
	}
	if member := m.Member(); member != nil {
		return line(who, path, brief(c, subjectOf(member, member.File)+" in it"), room)
	}
	if showsValues(m, c) {
		return line(who, path, sentence(c), room)
	}
	return line(who, path, brief(c, "it"), room)
}

// remarkMessage says in one sentence what was done at a path that both sides
// changed.
func remarkMessage(m *pkgmerge.Change, remark merge.Remark) string {
	c := merge.Conflict{Kind: merge.BothChanged, Path: remark.Path, Values: remark.Values}
	end := ""
	switch remark.Kind {
	case merge.LocalRemoved:
		c.Kind, c.Chosen = merge.LocalDeleted, identity.Local
		return ended(m, c, taken(c))
	case merge.LinesMerged:
		end = "the result has the lines of both"
	case merge.ElementsMerged:
		end = "the result has the changes of both"
	case merge.UnionTaken:
		end = "the result has what each side added"
	case merge.NullOwned, merge.LeftToOthers, merge.OtherVersions:
		return line(subject(m), remark.Path, applySentence(remark.Kind), 0)
	}
	said := brief(c, "it")
	if showsValues(m, c) {
		said = sentence(c)
	}
	return line(subject(m), shownPath(m, remark.Path), said+"; "+end, 0)
}

// applySentence says what a server-side apply did that config may not have meant
// (rules/server-side-apply: managers).
func applySentence(kind merge.RemarkKind) string {
	switch kind {
	case merge.NullOwned:
		return "config has null there, which deletes nothing and which the applier owns from now on"
	case merge.LeftToOthers:
		return "config dropped it, but other managers own it; what is theirs is left, and the server may refuse that"
	}
	return "managers own fields of it in another apiVersion, and count where these fields are there"
}

// isWarning reports whether a remark is about what somebody may have to do something.
func isWarning(kind merge.RemarkKind) bool {
	return kind == merge.NullOwned || kind == merge.LeftToOthers || kind == merge.OtherVersions
}

// fileRemarkMessage is remarkMessage for a file without resources, which local removed.
func fileRemarkMessage(f *pkgmerge.FileChange, remark merge.Remark) string {
	c := merge.Conflict{Kind: merge.LocalDeleted, Values: remark.Values, Chosen: identity.Local}
	return fileCollision(f, c, taken(c)) + "; " + taken(c)
}

// fileCollision is collision for a file without resources.
func fileCollision(f *pkgmerge.FileChange, c merge.Conflict, end string) string {
	said := brief(c, "it")
	if !f.Secret {
		said = sentence(c)
	}
	return line(f.Name, nil, said, len("; "+end))
}

// sentence says what both sides did, with the values.
func sentence(c merge.Conflict) string {
	o, u, l := c.Values[identity.Origin], c.Values[identity.Upstream], c.Values[identity.Local]
	if addedBesideSwitch(c) {
		return besideSwitch(c, true)
	}
	if isOfApply(c) {
		return clusterSentence(c, true)
	}
	switch c.Kind {
	case merge.UpstreamDeleted:
		return "upstream deleted it, local had changed " + changeOf(o, l)
	case merge.LocalDeleted:
		if o == nil {
			return brief(c, "it") // rules/identity: by identity: local has several of the name
		}
		return "local had deleted it, upstream changed " + changeOf(o, u)
	case merge.Order:
		u, l = labels(u), labels(l)
		return "both sides reordered the list, upstream" + setTo(u, l) + ", local" + setTo(l, u)
	case merge.DuplicateKey:
		return brief(c, "it") + ", upstream" + setTo(u, l) + ", local" + setTo(l, u)
	case merge.CommentChanged:
		if u == nil {
			return "upstream removed the comment, local set it" + setTo(l, u)
		}
		return "upstream set the comment" + setTo(u, l) + ", local" + setTo(l, u)
	}
	return "upstream" + verb(u) + setTo(u, l) + ", local" + setTo(l, u)
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

// brief is sentence without values; what is what a side changed where the other
// deleted it.
func brief(c merge.Conflict, what string) string {
	if addedBesideSwitch(c) {
		return besideSwitch(c, false)
	}
	if isOfApply(c) {
		return clusterSentence(c, false)
	}
	switch c.Kind {
	case merge.UpstreamDeleted:
		return "upstream deleted it, local had changed " + what
	case merge.LocalDeleted:
		if c.Values[identity.Origin] == nil {
			return "upstream added it, local has several of its name in that file already"
		}
		return "local had deleted it, upstream changed " + what
	case merge.Order:
		return "both sides reordered the list"
	case merge.DuplicateKey:
		return "both sides changed elements that no key tells apart"
	case merge.KindChanged:
		return "both sides changed it, to different kinds of value"
	case merge.CommentChanged:
		return "both sides changed the comment"
	}
	return "both sides changed it"
}

// taken says which version the result has.
func taken(c merge.Conflict) string {
	switch {
	case addedBesideSwitch(c):
		return "it was left out"
	case isOfApply(c):
		return applyEnd(c)
	case c.Kind == merge.UpstreamDeleted && c.Chosen == identity.Upstream:
		return "deleted"
	case c.Kind == merge.LocalDeleted && c.Values[identity.Origin] == nil:
		return "it was left out"
	case c.Kind == merge.LocalDeleted && c.Chosen == identity.Local:
		return "it stays deleted"
	case c.Part == merge.LinesPart && c.Chosen == identity.Local:
		return "of the lines that both changed local's were kept"
	case c.Part == merge.LinesPart:
		return "of the lines that both changed upstream's were taken"
	case c.Part == merge.ElementsPart && c.Chosen == identity.Local:
		return "of the elements that both changed local's were kept"
	case c.Part == merge.ElementsPart:
		return "of the elements that both changed upstream's were taken"
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

const (
	// maxHead is how much of a value stands before the gap where the gap is not in
	// its middle.
	maxHead = 12
	// maxLead is how far before a difference the step may begin that is shown.
	maxLead = 20
	// maxSteps bounds how much of two values is compared for a message.
	maxSteps = 100_000
)

// excerpt is a value as a message has it (rules/conflicts: results): a string in
// quotes, another scalar as it stands, a list or map on one line; cut in its middle to
// ShortValue bytes. Where the cut would hide the first place at which the value differs
// from other, which may be nil, that place is shown instead of the end.
func excerpt(n, other *yaml.Node) string { return excerptTo(n, other, ShortValue) }

// excerptTo is excerpt with another limit.
func excerptTo(n, other *yaml.Node, limit int) string {
	text, than := oneLine(n), ""
	if other != nil {
		than = oneLine(other)
	}
	short := wording.CutMiddle(text, limit)
	if short != text && other != nil && short == wording.CutMiddle(than, limit) {
		short = cutAround(text, differing(text, than), limit)
	}
	if isText(n) {
		return strconv.Quote(short)
	}
	return short
}

func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" }

// oneLine is a value's text: a scalar's own, a list or map as a line of YAML.
func oneLine(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return wording.Flow(n)
}

// cutAround shortens text to at most limit bytes: its beginning, an wording.Ellipsis,
// and what stands at a place.
func cutAround(text string, at, limit int) string {
	start := at
	if step := strings.LastIndexAny(text[max(at-maxLead, 0):at], " \n{[,"); step >= 0 {
		start = max(at-maxLead, 0) + step + 1
	}
	head := text[:wording.RuneStart(text, maxHead)] + wording.Ellipsis
	if start <= len(head) {
		return wording.Cut(text, limit)
	}
	return head + wording.Cut(text[wording.RuneStart(text, start):], limit-len(head))
}

// differing is the first byte at which two texts differ.
func differing(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return wording.RuneStart(a, i)
}
