package report

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

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
			return brief(c, "it") // design 2: local has several of the name
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
