package report

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Conflict is one conflict between upstream's and local's changes.
type Conflict struct {
	// Kind is a kind of rules/conflicts: kinds, such as both-changed.
	Kind string
	// Severity is error for a conflict that fails the run, else warning.
	Severity string
	// Message is a sentence with the resource, the field, both changes and the outcome. Description
	// is Message without the resource and the field.
	Message, Description string
	// Path is the field's, "" for the resource itself.
	Path string
	// File and Line are the location of the field in the result, or of its nearest ancestor there.
	// Line is 0 if it is unknown.
	File string
	Line int
	// Values are the three versions, by side.
	Values [3]Value
	// Managers are the managers that own the field in the cluster, if known.
	Managers []string
	// Result is the value after an apply that mixes elements of one key up; nil for any other conflict.
	Result *Value
	// Chosen is upstream or local, "" if the result is neither, the run failed or the file has the conflict between markers.
	Chosen string
	// Rule is a rule for the function config that would decide the conflict the other way, or let a
	// conflict pass that fails the run or is marked; nil if no rule does.
	Rule *Rule

	// Decision says that a learned rule decided the conflict as it was decided before, and which one; "" if none
	// did (rules/learn: reports).
	Decision string

	// equal is the same for equal conflicts; "" if no other is equal.
	equal string
}

func (b builder) conflicts(c *pkgmerge.Change) ([]*Conflict, error) {
	var otherwise []bool
	if !b.options.NoRules {
		var err error
		if otherwise, err = c.Decidable(); err != nil {
			return nil, err
		}
	}
	var out []*Conflict
	for i, conflict := range c.Conflicts {
		it := b.conflict(c, conflict)
		switch {
		case b.options.NoRules:
		case otherwise[i]:
			it.Rule = NewRule(c, conflict.Path, otherSide(conflict.Chosen))
		case conflict.Kind == merge.Refused, conflict.Kind == merge.Owned:
		case c.Fails(conflict) || c.Marks(conflict):
			it.Rule = NewRule(c, conflict.Path, conflict.Chosen)
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
	out := &Conflict{Kind: string(conflict.Kind), Severity: "warning", Path: visible(visiblePath(c, conflict.FullPath()).String())}
	out.Decision = asBefore(c, conflict)
	end := b.conclude(out, conflict, b.files.isMarked(c, conflict))
	if b.applies {
		end = b.concludeApply(out, c, conflict)
	}
	out.Message = visibleMessage(messageWithOutcome(c, conflict, end))
	if c.Fails(conflict) {
		out.Severity = "error"
	}
	out.File, out.Line = b.location(c, conflict.Path)
	for _, manager := range conflict.Managers {
		out.Managers = append(out.Managers, visible(manager))
	}
	b.setValues(out, c, conflict)
	return out
}

// sides returns the sides whose values a report shows: all three, or two if there is no origin.
func (c *Conflict) sides() []identity.Side {
	sides := identity.Sides()
	if c.Kind == string(merge.NoOrigin) {
		return sides[identity.Upstream:]
	}
	return sides[:]
}

// setValues adds the values of the sides, hidden if they may be secret, with their sources.
func (b builder) setValues(out *Conflict, c *pkgmerge.Change, conflict merge.Conflict) {
	show := showsValues(c, conflict)
	shown := inOneStyle(differing(conflict.Values))
	for _, side := range identity.Sides() {
		out.Values[side] = newValue(conflict.Values[side], shown[side], show)
	}
	if b.options.Setter != nil {
		sources := [3]string{b.options.Versions[0], b.options.Versions[1], b.options.Setter(c, conflict.Path)}
		for side, n := range conflict.Values {
			if n != nil {
				out.Values[side].Source = visible(sources[side])
			}
		}
	}
	out.showLines(shown)
	if show {
		out.equal = equalKey(conflict, out)
	}
}

// conclude returns the outcome of a conflict, and sets Chosen and Description.
func (b builder) conclude(out *Conflict, conflict merge.Conflict, marked bool) (end string) {
	switch {
	case b.failed:
		end = nothingMerged
	case marked:
		end = bothMarked
		if conflict.Kind == merge.UpstreamDeleted && conflict.Part == "" {
			end = yoursMarked
		}
	default:
		end, out.Chosen = withDecision(conflictOutcome(conflict), out.Decision), conflict.Chosen.String()
	}
	out.Description = sentence(conflict, "it", false) + "; " + end
	return end
}

// asBefore names the learned rule that decided a conflict, "" if none did.
func asBefore(c *pkgmerge.Change, conflict merge.Conflict) string {
	rule, index, decided := c.LearnedRule(conflict)
	if !decided {
		return ""
	}
	return fmt.Sprintf("decided as before by conflicts.rules[%d]: %s", index, rule.Learned)
}

// withDecision returns an outcome with the decision of a learned rule.
func withDecision(outcome, decision string) string {
	if decision == "" {
		return outcome
	}
	return outcome + ", " + decision
}

// concludeApply is conclude for the conflict of an object in an apply.
func (b builder) concludeApply(out *Conflict, c *pkgmerge.Change, conflict merge.Conflict) (end string) {
	end, out.Chosen = applyOutcome(c, conflict), conflict.Chosen.String()
	if apply.Refused(c) || c.Fails(conflict) {
		out.Chosen = ""
	}
	if conflict.Kind == merge.DuplicateKey && out.Chosen != "" {
		if _, result, err := c.Contents(); err == nil {
			value := merge.NewFinder(result).Value(conflict.Path)
			shown := newValue(value, value, showsValues(c, conflict))
			out.Result, out.Chosen = &shown, ""
			for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
				if of := conflict.Values[side]; value == nil && of == nil || value != nil && of != nil && merge.Same(value, of) {
					out.Chosen = side.String()
				}
			}
		}
	}
	out.Description = sentence(conflict, "it", false) + "; " + end
	return end
}

// Notice is a message for the user that is no conflict.
type Notice struct {
	Severity string `json:"severity"` // warning or info
	Message  string `json:"message"`
	// Resource names the resource, "" if the notice is about none, and Path the field.
	Resource string `json:"resource"`
	Path     string `json:"path"`
	// File is "" if the notice is about none; Line is 0 if it is unknown.
	File string `json:"file"`
	Line int    `json:"line"`

	// removed names a resource, package or file that local removed and upstream changed, "" for
	// other notices; noun is its sort.
	removed, noun string
	// merged says which sides a merged image is from, "" for other notices.
	merged string
	// isLine says that it is about a line of a review.
	isLine bool
	// isCause says that a file cannot be read, from which other messages may follow.
	isCause bool
}

// notices returns the files that cannot be read, the caller's warnings, and the warnings and the infos of the merge. A run that
// failed has only the notices about the input.
func (b builder) notices(merged *pkgmerge.Result) []Notice {
	var causes, warnings, infos []Notice
	warnings = append(warnings, stepNotices(apply.Of(merged))...)
	for _, text := range b.options.Warnings {
		warnings = append(warnings, Notice{Severity: "warning", Message: visibleMessage(text)})
	}
	for _, n := range merged.Notices {
		switch {
		case b.failed && !isAboutInput(n) && !b.applies:
		case n.Line > 0:
			causes = append(causes, b.notice(n))
		case n.Warning:
			warnings = append(warnings, b.notice(n))
		default:
			infos = append(infos, b.notice(n))
		}
	}
	more, remarks := b.remarkNotices(merged.Changes)
	warnings, infos = append(warnings, more...), append(infos, remarks...)
	infos = append(infos, b.fileNotices(merged.FileChanges)...)
	if b.applies {
		infos = append(infos, Notice{Severity: "info", Message: notKnown})
	}
	return slices.Concat(causes, warnings, infos)
}

// joined returns notices for people: one for all removals by local that upstream changed, one for several images that were
// merged alike, and one for equal notices about several resources.
func joined(notices []Notice) []Notice { return joinEqual(joinImages(joinRemoved(notices))) }

// joinImages puts one notice in the place of several about merged images, if each side gave the same parts of all these images.
func joinImages(notices []Notice) (out []Notice) {
	counts := map[string]int{}
	for _, n := range notices {
		counts[n.merged]++
	}
	told := map[string]bool{}
	for _, n := range notices {
		switch {
		case n.merged == "" || counts[n.merged] == 1:
			out = append(out, n)
		case !told[n.merged]:
			told[n.merged] = true
			message := fmt.Sprintf("%s: %s, as in %s %s", wording.Plural(counts[n.merged], "image"), n.merged, n.Resource, n.Path)
			out = append(out, Notice{Severity: n.Severity, Message: message, File: n.File, Line: n.Line})
		}
	}
	return out
}

// minEqual is the number of equal notices that are joined: fewer stand each with its location.
const minEqual = 3

// joinEqual replaces notices that say the same of several resources with one, which names the first of them.
func joinEqual(notices []Notice) (out []Notice) {
	textOf := func(n Notice) string {
		if text, found := strings.CutPrefix(n.Message, n.Resource+": "); found && n.Resource != "" {
			return n.Severity + text
		}
		return ""
	}
	counts, told := map[string]int{}, map[string]bool{}
	for _, n := range notices {
		if text := textOf(n); text != "" {
			counts[text]++
		}
	}
	for _, n := range notices {
		text := textOf(n)
		switch {
		case counts[text] < minEqual:
			out = append(out, n)
		case !told[text]:
			told[text] = true
			others := wording.Plural(counts[text]-1, "other resource")
			out = append(out, Notice{Severity: n.Severity, Message: n.Resource + " and " + others + ": " + strings.TrimPrefix(n.Message, n.Resource+": "), Resource: n.Resource})
		}
	}
	return out
}

// joinRemoved replaces the notices about removals by local that upstream changed with one notice.
func joinRemoved(notices []Notice) []Notice {
	var out []Notice
	var removed []Notice
	at := -1
	for _, n := range notices {
		if n.removed == "" {
			out = append(out, n)
			continue
		}
		if at < 0 {
			at, out = len(out), append(out, Notice{Severity: n.Severity})
		}
		removed = append(removed, n)
	}
	if at >= 0 {
		out[at].Message = removedSentence(removed)
	}
	return out
}

// maxRemoved is the number of removals that are named; more are counted by directory.
const maxRemoved = 8

// removedSentence counts and names the resources, packages and files that local removed and upstream changed.
func removedSentence(removed []Notice) string {
	counts, directories := map[string]int{}, map[string]int{}
	var names []string
	for _, n := range removed {
		counts[n.noun]++
		directories[path.Dir(n.File)+"/"]++
		names = append(names, n.removed)
	}
	if len(names) > maxRemoved {
		names = countByDirectory(directories)
	}
	var parts []string
	for _, noun := range [3]string{"resource", "package", "file"} {
		if counts[noun] > 0 {
			parts = append(parts, wording.Plural(counts[noun], noun))
		}
	}
	stays := "they stay"
	if len(removed) == 1 {
		stays = "it stays"
	}
	return fmt.Sprintf("you had deleted %s that upstream changed, and %s deleted: %s", strings.Join(parts, ", "), stays, strings.Join(names, ", "))
}

// countByDirectory names directories with their counts, the highest first, at most as many as removals are named.
func countByDirectory(counts map[string]int) (names []string) {
	others := 0
	for i, dir := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	}) {
		if i < maxRemoved {
			names = append(names, fmt.Sprintf("%d in %s", counts[dir], dir))
		} else {
			others += counts[dir]
		}
	}
	if others > 0 {
		names = append(names, fmt.Sprintf("%d in other directories", others))
	}
	return names
}

// stepNotices returns warnings for the objects that a plan leaves alone, and for values that it does not know.
func stepNotices(applied *apply.Applied) []Notice {
	if applied == nil {
		return nil
	}
	var out []Notice
	for _, s := range applied.Steps {
		if s.Reason != "" && s.Action != apply.Refuse { // the conflicts name the refused objects
			out = append(out, Notice{Severity: "warning", Message: visible(wording.Cut(s.String(), wording.MaxMessage)), Resource: visible(stepSubject(s))})
		}
		for _, text := range s.Unknown {
			out = append(out, Notice{Severity: "warning", Message: visible(wording.Cut(text, wording.MaxMessage)), Resource: visible(stepSubject(s))})
		}
	}
	return out
}

func (b builder) notice(n pkgmerge.Notice) Notice {
	r := noticeResult(n)
	out := Notice{Severity: string(r.Severity), Message: visibleMessage(r.Message), Path: visible(n.Path)}
	switch {
	case n.File != "":
		out.File, out.Line = b.fileName(n.File), n.Line
		if out.isCause = n.Line > 0; !out.isCause {
			break
		}
		if after, isOwn := strings.CutPrefix(out.Message, visible(n.File)+":"); isOwn {
			out.Message = out.File + ":" + after
		} else {
			out.Line = 0 // it is a line of origin's or upstream's file
		}
	case n.Change != nil:
		out.Resource = visible(subject(n.Change))
		out.File, out.Line = b.location(n.Change, nil)
	case n.Resource != nil && r.File != nil:
		out.Resource = visible(subjectOf(n.Resource, r.File.Path))
		out.File = visible(r.File.Path)
	}
	return out
}

func (b builder) remark(c *pkgmerge.Change, remark merge.Remark) Notice {
	out := Notice{
		Severity: "info", Message: visibleMessage(remarkMessage(c, remark)),
		Resource: visible(subject(c)), Path: visible(visiblePath(c, remark.Path).String()),
	}
	if remark.Kind == merge.ImageMerged {
		out.merged = mergedImage(remark)
	}
	switch {
	case remark.Kind != merge.LocalRemoved:
	case c.IsPackage():
		out.removed, out.noun = "package "+visible(c.Package()), "package"
	default:
		out.removed, out.noun = strings.TrimSpace(out.Resource+" "+out.Path), "resource"
	}
	out.File, out.Line = b.location(c, remark.Path)
	return out
}

// Rule is an entry of conflicts.rules of the function config (rules/function: function config). Its
// texts are exact, with invisible characters.
type Rule struct {
	Kind      string `json:"kind,omitempty"`
	Group     string `json:"group"`
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace"`
	Path      string `json:"path,omitempty"`
	Prefer    string `json:"prefer"`
}

// NewRule returns the rule that prefers a side for conflicts at a path of a resource.
func NewRule(c *pkgmerge.Change, at *merge.Path, prefer identity.Side) *Rule {
	id := c.Newest().ID()
	r := Rule{Kind: id.Kind, Group: id.Group, Name: id.Name, Namespace: namespaceOf(c), Path: visiblePath(c, at).String(), Prefer: prefer.String()}.Exact()
	return &r
}

// namespaceOf returns the namespace by which a rule finds a resource: the one in its metadata, also
// for a cluster-scoped kind.
func namespaceOf(c *pkgmerge.Change) string {
	meta := c.Newest().Meta
	if meta.Naming == identity.ByPath {
		return ""
	}
	return meta.Namespace
}

// Exact returns the rule with the glob that matches only the rule's name.
func (r Rule) Exact() Rule {
	r.Name = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(r.Name)
	return r
}

// YAML returns the rule as an element of the list conflicts.rules. The text is ASCII, without HTML
// markup and backticks.
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
		b.WriteString(lead + field[0] + ": " + quoteScalar(field[1]) + "\n")
	}
	return b.String()
}

// quoteScalar writes a string as a YAML scalar in ASCII: plain, in single quotes, or in double quotes with escapes.
func quoteScalar(text string) string {
	if isPlainScalar(text) {
		return text
	}
	if strings.IndexFunc(text, needsNumber) < 0 {
		return "'" + text + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08X`, r)
		case needsNumber(r) || r == '"' || r == '\\':
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// needsNumber reports whether a character is written as a number, even in quotes.
func needsNumber(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune("'`<>&", r) }

// isPlainScalar reports whether every YAML reader reads a string without quotes as itself.
func isPlainScalar(text string) bool {
	if slices.Contains([]string{"true", "false", "null"}, strings.ToLower(text)) || yamlnode.IsBooleanWord(text) {
		return false
	}
	plain, err := regexp.MatchString(`^[A-Za-z][A-Za-z0-9_./-]*$`, text)
	return plain && err == nil
}
