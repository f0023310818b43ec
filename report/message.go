package report

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// conflictMessage returns one sentence with the resource, the field, both changes and the outcome. If it is too long
// for a line, the beginning of the path and the end of a long name are cut; values stay, except secret ones.
func conflictMessage(m *pkgmerge.Change, c merge.Conflict, failed bool) string {
	outcome := withDecision(conflictOutcome(c), asBefore(m, c))
	switch {
	case isOfApply(c):
		outcome = applyOutcome(m, c)
	case failed:
		outcome = nothingMerged
	}
	return messageWithOutcome(m, c, outcome)
}

// messageWithOutcome is conflictMessage with another outcome.
func messageWithOutcome(m *pkgmerge.Change, c merge.Conflict, outcome string) string {
	return collisionText(m, c, outcome) + "; " + outcome
}

// collisionText returns conflictMessage without the outcome, but leaves room for it.
func collisionText(m *pkgmerge.Change, c merge.Conflict, outcome string) string {
	name, path, room := subject(m), visiblePath(m, c.FullPath()), len("; "+outcome)
	if path == nil && m.IsPackage() {
		name = "package " + m.Package()
	}
	if member := m.Member(); member != nil {
		return formatMessage(name, path, sentence(c, subjectOf(member, member.File)+" in it", false), room)
	}
	return formatMessage(name, path, sentence(c, "it", showsValues(m, c)), room)
}

// remarkMessage returns one sentence about a path that both sides changed, with the outcome.
func remarkMessage(m *pkgmerge.Change, remark merge.Remark) string {
	c := merge.Conflict{Kind: merge.BothChanged, Path: remark.Path, Values: remark.Values}
	outcome := ""
	switch remark.Kind {
	case merge.LocalRemoved:
		c.Kind, c.Chosen = merge.LocalDeleted, identity.Local
		return messageWithOutcome(m, c, conflictOutcome(c))
	case merge.LinesMerged:
		return formatMessage(subject(m), visiblePath(m, remark.Path), linesSentence(remark.Values, showsValues(m, c))+"; the result has the lines of both", 0)
	case merge.ElementsMerged:
		outcome = "the result has the changes of both"
	case merge.UnionTaken:
		outcome = "the result has what each side added"
	case merge.MapsJoined:
		return formatMessage(subject(m), visiblePath(m, remark.Path), "both sides added it; the result has the fields of both", 0)
	case merge.NewerBump:
		outcome = "a setter wrote both, and the newer was taken, " + whose(remark.Chosen)
	case merge.DeletedBump:
		outcome = "a setter wrote that change, so it stays deleted"
		c.Kind = merge.UpstreamDeleted
		if remark.Chosen == identity.Local {
			c.Kind = merge.LocalDeleted
		}
	case merge.Mirrored:
		outcome = "the result has your repository with upstream's version"
	case merge.ImageMerged:
		outcome = "the result has " + mergedImage(remark)
	case merge.Newest:
		outcome = "the newer was taken, " + whose(remark.Chosen)
	case merge.OwnComment:
		return formatMessage(subject(m), visiblePath(m, remark.Path), "upstream deleted "+deletedPart(remark, identity.Upstream)+", and you had a comment of your own there"+lostComment(m, c, remark.Comment), 0)
	case merge.UpstreamComment:
		return formatMessage(subject(m), visiblePath(m, remark.Path), "you deleted "+deletedPart(remark, identity.Local)+", and upstream changed a comment there"+lostComment(m, c, remark.Comment), 0)
	case merge.LikeDeleted:
		return formatMessage(subject(m), visiblePath(m, remark.Path), "upstream deleted an element that is equal to it but for its key; yours stays", 0)
	case merge.NullOwned, merge.LeftToOthers, merge.OtherVersions:
		return formatMessage(subject(m), remark.Path, applySentence(remark.Kind), 0)
	}
	return formatMessage(subject(m), visiblePath(m, remark.Path), sentence(c, "it", showsValues(m, c))+"; "+outcome, 0)
}

// lostComment names the first line of a comment that the result lacks, unless the resource may hold secrets there.
func lostComment(m *pkgmerge.Change, c merge.Conflict, line string) string {
	if line == "" || m.MayHoldSecret(c.Path) {
		return ""
	}
	return ": " + visible(wording.Cut(line, maxComment))
}

// maxComment is the largest number of bytes of a comment in a message.
const maxComment = 80

// whose names a side's value.
func whose(side identity.Side) string { return whoseText(side.String()) }

// whoseText is whose for the name of a side.
func whoseText(side string) string {
	if side == identity.Local.String() {
		return "yours"
	}
	return side + "'s"
}

// linesSentence counts the lines that each side changed in a text, or in the texts of a list.
func linesSentence(values [3]*yaml.Node, show bool) string {
	if !show {
		return "both sides changed it"
	}
	origin := linesOf(values[identity.Origin])
	return "upstream " + lineChanges(origin, linesOf(values[identity.Upstream])) + ", you " + lineChanges(origin, linesOf(values[identity.Local]))
}

// lineChanges counts the lines that were changed, added and removed.
func lineChanges(was, is []string) string {
	var changed, added, removed int
	for _, h := range align.Hunks(align.Lines(was, is), len(is)) {
		both := min(h.AHi-h.ALo, h.BHi-h.BLo)
		changed, added, removed = changed+both, added+h.BHi-h.BLo-both, removed+h.AHi-h.ALo-both
	}
	var parts []string
	for i, count := range [3]int{changed, added, removed} {
		verb := [3]string{"changed ", "added ", "removed "}[i]
		switch {
		case count == 0:
		case parts == nil:
			parts = append(parts, verb+wording.Plural(count, "line"))
		default:
			parts = append(parts, verb+strconv.Itoa(count))
		}
	}
	if last := len(parts) - 1; last > 0 {
		return strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
	return strings.Join(parts, "")
}

// linesOf returns the lines of a text, or of all texts in a list.
func linesOf(n *yaml.Node) (lines []string) {
	switch n = yamlnode.Resolve(n); {
	case n == nil:
	case n.Kind == yaml.ScalarNode:
		lines = slices.Collect(strings.Lines(n.Value))
	default:
		for _, e := range n.Content {
			lines = append(lines, linesOf(e)...)
		}
	}
	return lines
}

// mergedImage names the sides of a merged image.
func mergedImage(remark merge.Remark) string {
	if remark.Chosen == identity.Local {
		return "your registry with upstream's tag"
	}
	return "upstream's registry with your tag"
}

// deletedPart names the thing that a side deleted, with a comment of the other side's on it: a field, or a part of one that
// the side has.
func deletedPart(remark merge.Remark, side identity.Side) string {
	if remark.Values[side] != nil {
		return "a part of it"
	}
	return "it"
}

// applySentence returns the effect of a server-side apply that config may not have meant
// (rules/server-side-apply: managers).
func applySentence(kind merge.RemarkKind) string {
	switch kind {
	case merge.NullOwned:
		return "config has null there, which deletes nothing and which the applier owns from now on"
	case merge.LeftToOthers:
		return "config dropped it, but other managers own it; their part stays, and the server may refuse that"
	}
	return "managers own fields of it in another apiVersion, and count where these fields are there"
}

// isWarning reports whether a remark may need action.
func isWarning(kind merge.RemarkKind) bool {
	return kind == merge.NullOwned || kind == merge.LeftToOthers || kind == merge.OtherVersions
}

// fileRemarkMessage is remarkMessage for a file without resources that local removed.
func fileRemarkMessage(f *pkgmerge.FileChange, remark merge.Remark) string {
	c := merge.Conflict{Kind: merge.LocalDeleted, Values: remark.Values, Chosen: identity.Local}
	return fileCollision(f, c, conflictOutcome(c)) + "; " + conflictOutcome(c)
}

// fileCollision is collisionText for a file without resources.
func fileCollision(f *pkgmerge.FileChange, c merge.Conflict, outcome string) string {
	return formatMessage(f.Name, nil, sentence(c, "it", !f.Secret), len("; "+outcome))
}

// sentence describes both changes, with values if they may be shown. Without values, object is the part
// that one side changed and the other deleted.
func sentence(c merge.Conflict, object string, values bool) string {
	o, u, l := c.Values[identity.Origin], c.Values[identity.Upstream], c.Values[identity.Local]
	text := "both sides changed it"
	switch {
	case c.Kind == merge.NoOrigin:
		return noOriginSentence(u, l, values)
	case addedBesideSwitch(c):
		return switchSentence(c, values)
	case isOfApply(c):
		return applyConflictSentence(c, values)
	case c.Kind == merge.UpstreamDeleted:
		return "upstream deleted it, and you had changed " + describeChange(o, l, object, values)
	case c.Kind == merge.LocalDeleted && o == nil: // rules/identity: by identity
		return "upstream added it, and you have several of its name already"
	case c.Kind == merge.LocalDeleted:
		return "you had deleted it, and upstream changed " + describeChange(o, u, object, values)
	case c.Kind == merge.BothChanged && o == nil && (u != nil || l != nil) && !isAddedBeside(c):
		return addedSentence(u, l, values)
	case c.Kind == merge.Order:
		text, u, l = "both sides reordered the list", elementLabels(u), elementLabels(l)
	case c.Kind == merge.DuplicateKey:
		text = "both sides changed elements without unique keys"
	case c.Kind == merge.KindChanged && !values:
		text = "both sides changed it, to different kinds of value"
	case c.Kind == merge.CommentChanged:
		text = "both sides changed the comment"
	case isOfImage(c) && merge.Same(o, u):
		return setAlone(identity.Local, values, l, u)
	case isOfImage(c) && merge.Same(o, l):
		return setAlone(identity.Upstream, values, u, l)
	}
	yours := ", you" + setClause(l, u)
	switch {
	case isAddedBeside(c) && u == nil:
		return "you added it in a place where upstream added something, too"
	case isAddedBeside(c):
		return "upstream added it in a place where you added something, too"
	case !values:
		return text
	case c.Kind == merge.Order, c.Kind == merge.DuplicateKey:
		return text + ", upstream" + setClause(u, l) + yours
	case c.Kind == merge.CommentChanged && u == nil:
		return "upstream removed the comment, you set it" + setClause(l, u)
	case c.Kind == merge.CommentChanged:
		return "upstream set the comment" + setClause(u, l) + yours
	case u == nil:
		return "upstream removed it" + yours
	}
	return "upstream set it" + setClause(u, l) + yours
}

// addedSentence tells that both sides added a value, or a value around it that only one of them has.
func addedSentence(u, l *yaml.Node, values bool) string {
	switch {
	case l == nil:
		return "upstream alone has it, and both sides added the value around it"
	case u == nil:
		return "you alone have it, and both sides added the value around it"
	case !values:
		return "both sides added it"
	}
	return "both sides added it, upstream as " + excerpt(u, l) + ", you as " + excerpt(l, u)
}

// noOriginSentence tells that the sides differ where there is no origin.
func noOriginSentence(u, l *yaml.Node, values bool) string {
	switch {
	case l == nil:
		return "upstream alone has it, and without an origin nobody knows whether you removed it"
	case u == nil:
		return "you alone have it, and without an origin nobody knows whether upstream removed it"
	case !values:
		return "the sides have different values, and without an origin nobody knows which side changed it"
	}
	return "upstream has " + excerpt(u, l) + ", you have " + excerpt(l, u) + ", and without an origin nobody knows which side changed it"
}

// isOfImage reports whether a conflict may be about a whole field of an image that one side changed, and the other side another
// field of it (rules/fields: images).
func isOfImage(c merge.Conflict) bool {
	if c.Kind != merge.BothChanged || c.Path == nil || c.Part != "" || c.Values[identity.Origin] == nil {
		return false
	}
	steps := c.Path.Steps()
	switch steps[len(steps)-1].Field {
	case "registry", "repository", "tag", "digest", "newName", "newTag":
		return true
	}
	return false
}

// isAddedBeside reports whether a conflict is about one of the additions of both sides in one place of a list (rules/lists:
// additions at one place).
func isAddedBeside(c merge.Conflict) bool {
	u, l := c.Values[identity.Upstream], c.Values[identity.Local]
	if c.Kind != merge.BothChanged || c.Part != "" || c.Values[identity.Origin] != nil || (u == nil) == (l == nil) {
		return false
	}
	steps := c.Path.Steps()
	return len(steps) > 0 && steps[len(steps)-1].Field == "" // an element
}

// setAlone tells that a side set a part of an image, in place of the part that origin and the other side have.
func setAlone(side identity.Side, values bool, n, other *yaml.Node) string {
	to, ofUpstream, ofLocal := "", "upstream's", "yours"
	if values {
		to, ofUpstream, ofLocal = setClause(n, other), "upstream's "+excerpt(other, n), "your "+excerpt(other, n)
	}
	if side == identity.Local {
		return "you set it" + to + ", in place of " + ofUpstream + ", and upstream changed another part of the image"
	}
	return "upstream set it" + to + ", in place of " + ofLocal + ", and you changed another part of the image"
}

// setClause returns the new value, excerpted beside the other one, or a removal.
func setClause(n, other *yaml.Node) string {
	if n == nil {
		return " removed it"
	}
	return " to " + excerpt(n, other)
}

// conflictOutcome describes the version in the result.
func conflictOutcome(c merge.Conflict) string {
	switch {
	case addedBesideSwitch(c):
		return "it was left out"
	case c.Part == merge.AdditionsPart && c.Kind == merge.UpstreamDeleted && c.Chosen == identity.Upstream:
		return "deleted, but for what you added"
	case c.Part == merge.AdditionsPart && c.Kind == merge.LocalDeleted && c.Chosen == identity.Upstream:
		return "upstream's additions and changes were taken"
	case isAddedBeside(c):
		return "both stay"
	case c.Kind == merge.UpstreamDeleted && c.Chosen == identity.Upstream:
		return "deleted"
	case c.Kind == merge.LocalDeleted && c.Values[identity.Origin] == nil:
		return "it was left out"
	case c.Kind == merge.LocalDeleted && c.Chosen == identity.Local:
		return "it stays deleted"
	case c.Part == merge.LinesPart && c.Chosen == identity.Local:
		return "where both changed lines, yours were kept"
	case c.Part == merge.LinesPart:
		return "where both changed lines, upstream's were taken"
	case c.Part == merge.ElementsPart && c.Chosen == identity.Local:
		return "where both changed elements, yours were kept"
	case c.Part == merge.ElementsPart:
		return "where both changed elements, upstream's were taken"
	case c.Chosen == identity.Local && c.Part != "":
		return "your" + imagePart(c) + " was kept"
	case c.Chosen == identity.Local:
		return "yours was kept"
	}
	return "upstream's" + imagePart(c) + " was taken"
}

// imagePart names the part of an image that the sides disagree about.
func imagePart(c merge.Conflict) string {
	if c.Part == "" {
		return ""
	}
	return " " + c.Part
}

const (
	// maxHead limits the text before the gap, if the gap is not in the middle.
	maxHead = 12
	// maxLead limits how far before a difference the excerpt begins.
	maxLead = 20
	// maxSteps limits how much of two values is compared for a message.
	maxSteps = 100_000
)

// excerpt returns a value for a message (rules/conflicts: results): a string in quotes, another scalar as it is, a list
// or map on one line, with the middle cut to wording.ShortValue bytes. Of a text it has the first line, and the number
// of the others. Beside another value, which may be nil, a long value is its differing elements or lines. If the cut
// would hide the first difference, the excerpt shows that place instead of the end.
func excerpt(n, other *yaml.Node) string { return excerptTo(n, other, wording.ShortValue) }

// excerptTo is excerpt with another limit.
func excerptTo(n, other *yaml.Node, limit int) string {
	shown := differingBeyond([3]*yaml.Node{n, other, nil}, 1)
	text, more := firstLine(shown[0])
	than := ""
	if other != nil {
		than, _ = firstLine(shown[1])
	}
	short := wording.CutMiddle(text, limit)
	if short != text && other != nil && short == wording.CutMiddle(than, limit) {
		short = cutAround(text, firstDifference(text, than), limit)
	}
	if isText(n) {
		short = strconv.Quote(short)
	}
	if more > 0 {
		short += " and " + wording.Plural(more, "line")
	}
	return short
}

// firstLine returns the first line of a text that is not left out, and the number of the other lines;
// of another value its only line.
func firstLine(n *yaml.Node) (line string, more int) {
	text := oneLine(n)
	for part := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		switch {
		case part == wording.Ellipsis:
		case line == "":
			line = part
		default:
			more++
		}
	}
	return line, more
}

func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" }

// oneLine returns the text of a scalar, or a list or map as a line of YAML.
func oneLine(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return wording.Scalar(n)
	}
	return wording.Flow(n)
}

// cutAround shortens text to at most limit bytes: its beginning, an ellipsis, and the text at an offset.
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

// firstDifference returns the offset of the first character at which two texts differ.
func firstDifference(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return wording.RuneStart(a, i)
}
