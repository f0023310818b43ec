package function

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

const (
	// maxMessage is the longest message, in bytes: a line of a console.
	maxMessage = 160
	// maxWho is the longest name of a resource in a message that is too long.
	maxWho = 64
	// minPath is what stays of a path in such a message.
	minPath = 48
	// maxStep is the longest step of a path that is cut away whole.
	maxStep = 24
	// nothingMerged is how a conflict of a run that failed ended.
	nothingMerged = "nothing was merged"
	// maxValue is the longest value in a result, in bytes (DESIGN 5).
	maxValue = 256
	// shortValue is the longest value in a message, in bytes.
	shortValue = 32
)

// message says in one sentence which resource and field, what both sides did
// and what was taken. Where that is too long for a line, first the beginning of
// the path goes and then the values; secret values are never there.
func message(m *merged, c merge.Conflict, failed bool) string {
	who, path := subject(m), c.Path.String()
	if pkg := m.newest().pkg; path == "" && pkg != "." && m.newest().isKptfile() {
		who = "package " + pkg
	}
	end := taken(c)
	if failed {
		end = nothingMerged
	}
	if path != "" {
		path = " " + path
	}
	full := ": " + sentence(c, showsValues(m, c), end)
	if len(who)+len(path)+len(full) <= maxMessage {
		return who + path + full
	}
	who = cut(who, maxWho)
	for _, said := range [2]string{full, ": " + brief(c, end)} {
		if room := maxMessage - len(who) - len(said); room >= min(len(path), minPath) {
			return who + cutFront(path, room) + said
		}
	}
	said := ": " + brief(c, end)
	return cut(who, maxMessage-len(said)) + said
}

// remarkMessage says in one sentence what was done at a path that both sides
// changed.
func remarkMessage(m *merged, remark merge.Remark) string {
	who, said := subject(m), ": both sides changed it; "
	switch remark.Kind {
	case merge.LinesMerged:
		said += "the result has the lines of both"
	case merge.UnionTaken:
		said += "the result has what each side added"
	case merge.CommentReplaced:
		said = ": both sides changed the comment; upstream's was taken"
	}
	return who + cutFront(" "+remark.Path.String(), maxMessage-len(who)-len(said)) + said
}

// subject names a resource as the user knows it: kind, namespace and name of
// the local copy.
func subject(m *merged) string {
	meta := m.newest().meta
	name := meta.Name
	if meta.Naming == identity.ByPath {
		name = m.file
	}
	if meta.Namespace != "" {
		name = meta.Namespace + "/" + name
	}
	return strings.TrimSpace(meta.Kind + " " + name)
}

// sentence says what both sides did, with scalar values if values says so, and
// how it ended.
func sentence(c merge.Conflict, values bool, end string) string {
	to := func(side identity.Side) string {
		n := c.Values[side]
		if !values || n == nil || n.Kind != yaml.ScalarNode {
			return ""
		}
		return " to " + quoted(n)
	}
	switch c.Kind {
	case merge.UpstreamDeleted:
		return fmt.Sprintf("upstream deleted it, local had changed it%s; %s", to(identity.Local), end)
	case merge.LocalDeleted:
		return fmt.Sprintf("local had deleted it, upstream changed it%s; %s", to(identity.Upstream), end)
	case merge.BothChanged:
		if u, l := to(identity.Upstream), to(identity.Local); u != "" && l != "" {
			return fmt.Sprintf("upstream set it%s, local%s; %s", u, l, end)
		}
	}
	return brief(c, end)
}

// brief is sentence without values.
func brief(c merge.Conflict, end string) string {
	switch c.Kind {
	case merge.UpstreamDeleted:
		return "upstream deleted it, local changed it; " + end
	case merge.LocalDeleted:
		return "local deleted it, upstream changed it; " + end
	case merge.Order:
		return "both sides reordered the list; " + end
	case merge.DuplicateKey:
		return "both sides changed elements that no key tells apart; " + end
	case merge.KindChanged:
		return "both sides changed it, to different kinds of value; " + end
	}
	return "both sides changed it; " + end
}

// taken says which version the result has.
func taken(c merge.Conflict) string {
	switch {
	case c.Kind == merge.UpstreamDeleted && c.Chosen == identity.Upstream:
		return "deleted"
	case c.Kind == merge.LocalDeleted && c.Chosen == identity.Local:
		return "it stays deleted"
	case c.Chosen == identity.Local:
		return "local's was kept"
	}
	return "upstream's was taken"
}

func quoted(n *yaml.Node) string {
	if n.ShortTag() == "!!str" {
		return fmt.Sprintf("%q", cut(n.Value, shortValue))
	}
	return cut(n.Value, shortValue)
}

// showsValues says whether the values of a conflict may be shown. Of what may
// hold secrets only its type and the names in its metadata are (DESIGN 5).
func showsValues(m *merged, c merge.Conflict) bool {
	path := c.Path.String()
	switch path {
	case "type", "metadata.name", "metadata.namespace", "metadata.generateName":
		return true
	}
	for _, it := range m.items {
		if it != nil && mayHoldSecret(it.meta.Kind, path) {
			return false
		}
	}
	return true
}

// mayHoldSecret says whether the value at a path of a kind may hold a secret: a
// Secret, a list that may have one among its items, and what a Kustomization
// makes Secrets of.
func mayHoldSecret(kind, path string) bool {
	switch kind {
	case "Secret", "SecretList", "List":
		return true
	case "Kustomization", "Component":
		return path == "" || strings.HasPrefix(path, "secretGenerator")
	}
	return false
}

const ellipsis = "…"

// cut shortens text to at most limit bytes, at a character's end, with an
// ellipsis for what is gone.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := max(limit-len(ellipsis), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}

// cutFront is cut, at the front: the end of a path says more than its start.
func cutFront(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	start := len(text) - max(limit-len(ellipsis)-1, 0)
	for start < len(text) && !utf8.RuneStart(text[start]) {
		start++
	}
	if step := strings.IndexAny(text[start:], ".["); step >= 0 && step < maxStep {
		start += step // a path is cut between two steps
	}
	return " " + ellipsis + text[start:]
}
