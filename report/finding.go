package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Conflict is one collision between upstream's and local's changes.
type Conflict struct {
	// Kind is one of rules/conflicts: kinds, such as both-changed.
	Kind string
	// Severity is error for a conflict that is to fail the run, else warning.
	Severity string
	// Message is a sentence that says which resource and field, what both sides did
	// and what was taken. Said is it without the resource and the field.
	Message, Said string
	// Path is the field's, "" for the resource itself.
	Path string
	// File and Line are where the field stands in the result, or what is nearest to it
	// and there. Line is 0 if it is unknown.
	File string
	Line int
	// Values are the three versions, by side.
	Values [3]Value
	// Managers are who owns the field in the cluster, where that is known.
	Managers []string
	// Chosen is upstream or local, "" where the run failed, or the conflict stands in the
	// file, between markers.
	Chosen string
	// Rule, given to the function, decides the conflict otherwise; one that is to fail
	// the run, or is marked, so that it does or is not. nil if no rule does.
	Rule *Rule
}

// conflicts are those of a resource.
func (b builder) conflicts(c *pkgmerge.Change) ([]*Conflict, error) {
	otherwise, err := c.Otherwise()
	if err != nil {
		return nil, err
	}
	var out []*Conflict
	for i, conflict := range c.Conflicts {
		it := b.conflict(c, conflict)
		switch {
		case otherwise[i]:
			it.Rule = newRule(c, conflict.Path, otherSide(conflict.Chosen))
		case conflict.Kind == merge.Refused, conflict.Kind == merge.Owned:
		case c.Fails(conflict) || c.Marks(conflict):
			it.Rule = newRule(c, conflict.Path, conflict.Chosen)
		}
		out = append(out, it)
	}
	return out, nil
}

func otherSide(side identity.Side) identity.Side {
	if side == identity.Upstream {
		return identity.Local
	}
	return identity.Upstream
}

func (b builder) conflict(c *pkgmerge.Change, conflict merge.Conflict) *Conflict {
	out := &Conflict{Kind: string(conflict.Kind), Severity: "warning", Path: visible(shownPath(c, conflict.Path).String())}
	end := b.end(out, conflict, b.files.marks(c, conflict))
	out.Message = sentenceOf(ended(c, conflict, end))
	if c.Fails(conflict) {
		out.Severity = "error"
	}
	out.File, out.Line = b.at(c, conflict.Path)
	for _, manager := range conflict.Managers {
		out.Managers = append(out.Managers, visible(manager))
	}
	show := showsValues(c, conflict)
	for _, side := range identity.Sides() {
		out.Values[side] = newValue(conflict.Values[side], show)
	}
	return out
}

// end is how a conflict ended, and notes whose version the result has.
func (b builder) end(out *Conflict, conflict merge.Conflict, marked bool) (end string) {
	switch {
	case b.failed && isOfApply(conflict):
		end = nothingApplied
	case b.failed:
		end = nothingMerged
	case marked:
		end = bothMarked
	default:
		end, out.Chosen = taken(conflict), conflict.Chosen.String()
	}
	out.Said = brief(conflict, "it") + "; " + end
	return end
}

// Notice is what deserves a word though it is no conflict.
type Notice struct {
	// Severity is warning or info.
	Severity string
	Message  string
	// Resource names what the notice is about, "" if that is no resource, and Path the
	// field.
	Resource, Path string
	// File is "" if it is about none; Line is 0 if it is unknown.
	File string
	Line int

	// removed is what local removed and upstream changed, "" if the notice is about
	// something else, and noun says what that is.
	removed, noun string
}

// notices are the caller's warnings, then the warnings and then the infos of the
// merge; of a run that failed only those about the input.
func (b builder) notices(merged *pkgmerge.Result) []Notice {
	var warnings, infos []Notice
	warnings = append(warnings, stepNotices(merged.Apply)...)
	for _, text := range b.options.Warnings {
		warnings = append(warnings, Notice{Severity: "warning", Message: sentenceOf(text)})
	}
	for _, n := range merged.Notices {
		switch {
		case b.failed && !isAboutInput(n) && merged.Apply == nil:
		case n.Warning:
			warnings = append(warnings, b.notice(n))
		default:
			infos = append(infos, b.notice(n))
		}
	}
	for _, c := range merged.Changes {
		for _, remark := range c.Remarks {
			switch r := b.remark(c, remark); {
			case b.failed && merged.Apply == nil:
			case isWarning(remark.Kind):
				r.Severity = "warning"
				warnings = append(warnings, r)
			default:
				infos = append(infos, r)
			}
		}
	}
	for _, f := range merged.FileChanges {
		for _, remark := range f.Remarks {
			if !b.failed {
				infos = append(infos, Notice{Severity: "info", Message: sentenceOf(fileRemarkMessage(f, remark)), File: b.named(f.Name), removed: b.named(f.Name), noun: "file"})
			}
		}
	}
	return append(warnings, infos...)
}

// told are the notices as people read them: one tells of all that local removed and
// upstream changed.
func told(notices []Notice) []Notice {
	var out []Notice
	var names []string
	counts := map[string]int{}
	at := -1
	for _, n := range notices {
		if n.removed == "" {
			out = append(out, n)
			continue
		}
		if at < 0 {
			at, out = len(out), append(out, Notice{Severity: n.Severity})
		}
		names = append(names, n.removed)
		counts[n.noun]++
	}
	if at >= 0 {
		out[at].Message = removedSentence(names, counts)
	}
	return out
}

// removedSentence counts and names what local removed and upstream changed.
func removedSentence(names []string, counts map[string]int) string {
	var parts []string
	for _, noun := range [3]string{"resource", "package", "file"} {
		if counts[noun] > 0 {
			parts = append(parts, wording.Plural(counts[noun], noun))
		}
	}
	stays := "they stay"
	if len(names) == 1 {
		stays = "it stays"
	}
	return fmt.Sprintf("local had deleted %s that upstream changed, and %s deleted: %s", strings.Join(parts, ", "), stays, strings.Join(names, ", "))
}

// stepNotices are warnings of what a plan leaves alone, and of what it does not know.
func stepNotices(applied *pkgmerge.Applied) []Notice {
	if applied == nil {
		return nil
	}
	var out []Notice
	for _, s := range applied.Steps {
		if s.Does == pkgmerge.Keeps || s.Does == pkgmerge.Skips {
			out = append(out, Notice{Severity: "warning", Message: visible(wording.Cut(stepSentence(s), MaxMessage)), Resource: visible(liveSubject(s.Object()))})
		}
		for _, text := range mutationTexts(s) {
			out = append(out, Notice{Severity: "warning", Message: visible(text), Resource: visible(liveSubject(s.Object()))})
		}
	}
	return out
}

func (b builder) notice(n pkgmerge.Notice) Notice {
	r := noticeResult(n)
	out := Notice{Severity: string(r.Severity), Message: sentenceOf(r.Message), Path: visible(n.Path)}
	switch {
	case n.File != "":
		out.File = visible(n.File)
	case n.Change != nil:
		out.Resource = visible(subject(n.Change))
		out.File, out.Line = b.at(n.Change, nil)
	case n.Resource != nil && r.File != nil:
		out.Resource = visible(subjectOf(n.Resource, r.File.Path))
		out.File = visible(r.File.Path)
	}
	return out
}

func (b builder) remark(c *pkgmerge.Change, remark merge.Remark) Notice {
	out := Notice{
		Severity: "info", Message: sentenceOf(remarkMessage(c, remark)),
		Resource: visible(subject(c)), Path: visible(shownPath(c, remark.Path).String()),
	}
	switch {
	case remark.Kind != merge.LocalRemoved:
	case c.IsPackage():
		out.removed, out.noun = "package "+visible(c.Package()), "package"
	default:
		out.removed, out.noun = strings.TrimSpace(out.Resource+" "+out.Path), "resource"
	}
	out.File, out.Line = b.at(c, remark.Path)
	return out
}

// Rule is an entry of conflicts.rules of the function config (rules/function: function
// config). Its texts are exact, and not made to be seen.
type Rule struct {
	Kind      string `json:"kind,omitempty"`
	Group     string `json:"group"`
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace"`
	Path      string `json:"path,omitempty"`
	Prefer    string `json:"prefer"`
}

// newRule is the rule that has conflicts at a path of a resource prefer a side.
func newRule(c *pkgmerge.Change, at *merge.Path, prefer identity.Side) *Rule {
	id := c.Newest().ID()
	return &Rule{
		Kind: id.Kind, Group: id.Group, Name: literal(id.Name), Namespace: namespaceOf(c),
		Path: shownPath(c, at).String(), Prefer: prefer.String(),
	}
}

// namespaceOf is the namespace by which a rule finds a resource: what the resource
// itself says, also where its kind has none.
func namespaceOf(c *pkgmerge.Change) string {
	meta := c.Newest().Meta
	if meta.Naming == identity.ByPath {
		return ""
	}
	return meta.Namespace
}

// literal is the glob that matches a name and nothing else.
func literal(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// YAML is the rule as an element of the list conflicts.rules. It is ASCII, and has
// neither markup of HTML nor a backtick.
func (r Rule) YAML() string {
	var b strings.Builder
	for _, field := range [][2]string{
		{"kind", r.Kind}, {"group", r.Group}, {"name", r.Name}, {"namespace", r.Namespace}, {"path", r.Path}, {"prefer", r.Prefer},
	} {
		if field[1] == "" && field[0] != "group" && field[0] != "namespace" {
			continue
		}
		lead := "  "
		if b.Len() == 0 {
			lead = "- "
		}
		b.WriteString(lead + field[0] + ": " + scalar(field[1]) + "\n")
	}
	return b.String()
}

// scalar writes a string as YAML, exactly and in ASCII: plain, in single quotes, or
// in double quotes with the numbers of what is odd.
func scalar(text string) string {
	if isPlainScalar(text) {
		return text
	}
	if strings.IndexFunc(text, isOdd) < 0 {
		return "'" + text + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08X`, r)
		case isOdd(r) || r == '"' || r == '\\':
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// isOdd reports whether a character is not written as it is, even in quotes.
func isOdd(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune("'`<>&", r) }

// isPlainScalar reports whether a string needs no quotes in YAML, in any reader's eyes.
func isPlainScalar(text string) bool {
	if slices.Contains([]string{"true", "false", "null"}, strings.ToLower(text)) || yamlnode.IsBooleanWord(text) {
		return false
	}
	plain, err := regexp.MatchString(`^[A-Za-z][A-Za-z0-9_./-]*$`, text)
	return plain && err == nil
}
