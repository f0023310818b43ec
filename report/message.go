package report

import (
	"github.com/resource-merge/resource-merge/identity"
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

// applySentence says what a server-side apply did that config may not have meant (design 14).
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
