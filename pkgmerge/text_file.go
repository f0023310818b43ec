package pkgmerge

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
)

// findTexts finds the files that merge by structure on one side and not on another, or have an unreadable document
// that the merge needs. It removes their resources from the packages. An unreadable Kptfile is an error.
func (p *plan) findTexts() error {
	if !p.ofFiles {
		return nil
	}
	if _, isDriven := p.strategy.(Driver); !isDriven { // to a driver, the files of its sides are not versions of each other
		p.findDifferent()
	}
	if err := p.findUnreadable(); err != nil {
		return err
	}
	p.leaveOutTexts()
	return nil
}

// findDifferent finds the files that merge by structure on one side and not on another.
func (p *plan) findDifferent() {
	for _, side := range identity.Sides() {
		for _, c := range p.packages[side].contents {
			if c.isStructured() || !p.isStructuredElsewhere(c.Name) {
				continue
			}
			p.addTextFile(side, c.Name, cmp.Or(c.fault, "it has no mapping of YAML or JSON"))
		}
	}
}

// findUnreadable finds the files with an unreadable document that the merge needs. Most documents are plain text,
// which is known to be readable. A Kptfile has settings, and is no text.
func (p *plan) findUnreadable() error {
	index := sync.OnceValue(p.indexVersions) // few merges need it
	for _, side := range identity.Sides() {
		for _, r := range p.packages[side].Resources {
			if err := p.noteUnreadable(side, r, index); err != nil {
				return err
			}
		}
	}
	return nil
}

// noteUnreadable notes the file of a side's document as text if the document is unreadable and the merge needs it.
func (p *plan) noteUnreadable(side identity.Side, r *Resource, index func() *versionIndex) error {
	if _, isText := p.findText(r.File); isText || !r.item.IsDoubtful() || p.decidesByText(r, index()) {
		return nil
	}
	err := r.check()
	if err != nil && path.Base(r.File) == "Kptfile" {
		return fmt.Errorf("%s: %w", side, err)
	}
	if err != nil {
		p.addTextFile(side, r.File, strings.TrimPrefix(err.Error(), r.label()+": "))
	}
	return nil
}

// versionIndex has the resources of each side by identity, and the directories of packages.
type versionIndex struct {
	byID     map[identity.ID]*[3][]*Resource
	packages map[string]bool
}

func (v *versions) indexVersions() *versionIndex {
	x := &versionIndex{map[identity.ID]*[3][]*Resource{}, map[string]bool{}}
	for side, p := range v.packages {
		maps.Copy(x.packages, packageDirectories(p.Resources))
		for _, r := range p.Resources {
			id := r.ID()
			if x.byID[id] == nil {
				x.byID[id] = &[3][]*Resource{}
			}
			x.byID[id][side] = append(x.byID[id][side], r)
		}
	}
	return x
}

// decidesByText reports whether the strategy takes local's version of a resource without parsing one. In a subpackage
// and a Kptfile all versions are parsed.
func (v *versions) decidesByText(r *Resource, x *versionIndex) bool {
	s, known := v.strategy.(interface{ keepsLocal(*Match) bool })
	if !known || r.isKptfile() || nearest(x.packages, path.Dir(r.File)) != "." {
		return false
	}
	match, at, count := Match{isBookkeeping: v.options.Bookkeeping}, 0, 0
	versions := x.byID[r.ID()]
	for _, all := range versions {
		if i := slices.Index(all, r); i >= 0 {
			at, count = i, len(all)
		}
	}
	for side, all := range versions {
		if len(all) > 0 && len(all) != count || slices.ContainsFunc(all, func(other *Resource) bool { return other.File != r.File }) {
			return false // its version is not known yet
		}
		if len(all) > 0 {
			match.Versions[side] = all[at]
		}
	}
	return s.keepsLocal(&match)
}

// check returns an error if a resource cannot be merged. The items of a List are checked one by one.
func (r *Resource) check() error {
	if l := newCutList(r); l != nil {
		for _, item := range l.resources {
			if !item.item.IsDoubtful() {
				continue
			}
			if err := item.check(); err != nil {
				return err
			}
		}
		return nil
	}
	full, err := r.parsed()
	if err == nil {
		_, err = merge.Expand(full.Node)
	}
	if fault := (*merge.Fault)(nil); errors.As(err, &fault) {
		return r.located(fault)
	}
	return err
}

func (v *versions) isStructuredElsewhere(name string) bool {
	return slices.ContainsFunc(v.packages[:], func(p Package) bool { return p.content(name).isStructured() })
}

// addTextFile notes a file that a side has as a text, and why, unless the file is known.
func (p *plan) addTextFile(side identity.Side, name, why string) {
	if at, found := p.findText(name); !found {
		p.texts = slices.Insert(p.texts, at, textFile{name, side.String() + faultMark + why})
	}
}

func (p *plan) findText(name string) (at int, found bool) {
	return slices.BinarySearchFunc(p.texts, name, func(f textFile, name string) int { return strings.Compare(f.name, name) })
}

// leaveOutTexts removes the resources of files that merge as text from the packages.
func (p *plan) leaveOutTexts() {
	if len(p.texts) == 0 {
		return
	}
	for side, version := range p.packages {
		p.packages[side] = version.filter(func(r *Resource) bool {
			_, found := p.findText(r.File)
			return !found
		})
	}
}

// textNotices reports the files that merge as text, each with its fault. It warns of local's that may hold resources.
func (p *plan) textNotices() []Notice {
	var out []Notice
	for _, f := range p.texts {
		if p.isChartTemplate(f.name) {
			continue
		}
		side, fault, _ := strings.Cut(f.reason, faultMark)
		isOwn := side == identity.Local.String()
		whose, how := side+"'s ", "by lines"
		if isOwn {
			whose = ""
		}
		if slices.ContainsFunc(p.packages[:], func(version Package) bool { c := version.content(f.name); return c != nil && !isText(c.Data) }) {
			how = "as a whole"
		}
		n := Notice{File: f.name, Line: lineIn(fault), Text: faultAt(whose+f.name, fault) + "; the file is merged " + how}
		n.Warning = isOwn && n.Line > 0 || slices.ContainsFunc(p.unread[identity.Local], func(u *unread) bool { return u.Name == f.name })
		out = append(out, n)
	}
	return out
}

// faultMark is between the side and its fault in the reason for which a file is merged as text.
const faultMark = "'s file cannot be merged by fields: "

// faultAt returns a fault behind the file and the line that it names.
func faultAt(name, fault string) string {
	line := lineIn(fault)
	if line == 0 {
		return name + ": " + fault
	}
	number := strconv.Itoa(line)
	words := strings.TrimPrefix(strings.TrimPrefix(fault, "yaml: "), "line "+number+": ")
	if key, isTwice := strings.CutPrefix(words, "duplicate key "); isTwice {
		words = "key " + key + " is there twice"
	}
	return name + ":" + number + ": " + words
}

// lineIn returns the line with which a message about a fault begins, 0 if it begins otherwise.
func lineIn(fault string) int {
	after, found := strings.CutPrefix(strings.TrimPrefix(fault, "yaml: "), "line ")
	digits, _, ends := strings.Cut(after, ": ")
	line, err := strconv.Atoi(digits)
	if !found || !ends || err != nil {
		return 0
	}
	return line
}

// isChartTemplate reports whether a file is a template of a chart: it is below templates beside a Chart.yaml of a side.
func (v *versions) isChartTemplate(name string) bool {
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if path.Base(dir) != "templates" {
			continue
		}
		chart := path.Join(path.Dir(dir), "Chart.yaml")
		if slices.ContainsFunc(v.packages[:], func(p Package) bool { return p.content(chart) != nil }) {
			return true
		}
	}
	return false
}

// unread is a file of a side that is YAML or JSON by its name and cannot be read as resources: a template,
// or a file with an error. Its text tells which resources it may hold.
type unread struct {
	*content
	reason string
	// kinds are the kinds in the text, and words all words in it.
	kinds, words map[string]bool
	// templated reports whether a template makes a name in the text.
	templated bool
	// held are the resources that the side lacks, and that the file may hold.
	held []*Match
}

func newUnread(c *content, reason string) *unread {
	u := &unread{content: c, reason: reason, kinds: map[string]bool{}, words: map[string]bool{}}
	u.templated = regexp.MustCompile(`name["']?:.*\{\{`).Match(c.Data)
	for _, found := range regexp.MustCompile(`\bkind["']?:\s*["']?([A-Za-z0-9]+)`).FindAllSubmatch(c.Data, -1) {
		u.kinds[string(found[1])] = true
	}
	if len(u.kinds) > 0 {
		for _, word := range bytes.FieldsFunc(c.Data, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"',{}[]", r) }) {
			u.words[string(word)] = true
		}
	}
	return u
}

// mayHold reports whether the file may hold a resource: it has its kind, and its name or a templated one.
func (u *unread) mayHold(r *Resource) bool {
	return r.Meta.Naming != identity.ByPath && u.kinds[r.Meta.Kind] && (u.words[r.Meta.Name] || u.templated)
}

// SkippedFileError is the error of a file that was left out on one side while another side has a
// resource there, which would seem to be deleted or added.
type SkippedFileError struct{ text string }

func (e *SkippedFileError) Error() string { return e.text }

// checkSkipped finds a file that was left out on one side and has resources on another.
func (v *versions) checkSkipped() error {
	type skipped struct{ source, reason string }
	files := map[string]skipped{}
	for _, side := range identity.Sides() {
		for _, s := range v.packages[side].Skipped {
			files[s.File] = skipped{v.source(side), s.Reason}
		}
	}
	for _, side := range identity.Sides() {
		for _, r := range v.packages[side].Resources {
			if s, found := files[r.File]; found && r.File != "" {
				return &SkippedFileError{fmt.Sprintf("%s: %s is left out, but the %s side has %s there: %s", s.source, r.File, side, r.ID(), s.reason)}
			}
		}
	}
	return nil
}

// skippedFiles warns of the files that were left out.
func (v *versions) skippedFiles() []Notice {
	var out []Notice
	for _, side := range identity.Sides() {
		for _, s := range v.packages[side].Skipped {
			text := fmt.Sprintf("%s: %s is left out: %s", v.source(side), s.File, s.Reason)
			out = append(out, Notice{Warning: true, File: s.File, Text: text})
		}
	}
	return out
}

// source returns the origin of a side for messages.
func (v *versions) source(side identity.Side) string {
	return cmp.Or(v.packages[side].Source, side.String())
}

// doubtRemovals finds the resources of origin and upstream that local may still have under another name
// or in an unreadable file. It is not certain that local removed them on purpose, so a change of upstream
// in them is a conflict (rules/resources: removed on purpose).
func (p *plan) doubtRemovals(matches []*Match) {
	p.findUnread(matches)
	inhabited, strays := p.localOnly(matches)
	for _, match := range matches {
		if match.Has(identity.Local) {
			continue
		}
		stray := strays[withoutNamespace(match.Newest())]
		match.removalsCollide = match.removalsCollide || match.how.Ambiguous || stray && !inhabited[match.Newest().Meta.Namespace]
	}
}

// localOnly returns the namespaces of local's resources, and the resources that only local has, by kind and
// name: such a resource may come from a namespace that local no longer uses.
func (p *plan) localOnly(matches []*Match) (inhabited map[string]bool, strays map[identity.ID]bool) {
	inhabited, strays = map[string]bool{}, map[identity.ID]bool{}
	for _, match := range matches {
		if l := match.Versions[identity.Local]; l != nil {
			inhabited[l.Meta.Namespace] = true
			if match.onlyLocal() && l.Meta.Naming == identity.ByName {
				strays[withoutNamespace(l)] = true
			}
		}
	}
	return inhabited, strays
}

// withoutNamespace returns a resource's identity without its namespace.
func withoutNamespace(r *Resource) identity.ID {
	id := r.ID()
	id.Namespace = ""
	return id
}

// unreadFiles returns the files of a side that cannot be read, except for files that another side has
// too: their resources are missing on both sides.
func (p *plan) unreadFiles(side identity.Side) []*unread {
	var out []*unread
	for _, c := range p.packages[side].contents {
		reason := c.fault
		if at, isText := p.findText(c.Name); isText && reason == "" {
			reason = p.texts[at].reason
		}
		if reason != "" && !p.isElsewhere(side, c) {
			if u := newUnread(c, reason); len(u.kinds) > 0 {
				out = append(out, u)
			}
		}
	}
	return out
}

// isElsewhere reports whether another side has an equal file.
func (v *versions) isElsewhere(side identity.Side, c *content) bool {
	for _, other := range identity.Sides() {
		if same := v.packages[other].content(c.Name); other != side && same != nil && bytes.Equal(same.Data, c.Data) {
			return true
		}
	}
	return false
}

// findUnread finds the files that cannot be read and may hold resources that their side seems to lack. A
// change of upstream in such a resource of local is a conflict (rules/files: unreadable files).
func (p *plan) findUnread(matches []*Match) {
	p.unread = [3][]*unread{}
	for _, side := range identity.Sides() {
		p.unread[side] = p.unreadFiles(side)
		if len(p.unread[side]) == 0 {
			continue
		}
		for _, match := range matches {
			if match.Has(side) {
				continue
			}
			for _, u := range p.unread[side] {
				if !u.mayHold(match.Newest()) {
					continue
				}
				u.held = append(u.held, match)
				match.removalsCollide = match.removalsCollide || side == identity.Local
			}
		}
	}
}

// unreadNotices warns of files that cannot be read and may hold resources: of all of local's, and of the
// other sides' if the side lacks such a resource.
func (p *plan) unreadNotices() []Notice {
	var out []Notice
	for _, side := range identity.Sides() {
		for _, u := range p.unread[side] {
			if _, isText := p.findText(u.Name); len(u.held) == 0 && (side != identity.Local || isText) {
				continue // a notice reports that it is merged as text
			}
			if len(u.held) == 0 && p.isChartTemplate(u.Name) {
				continue // it is no manifest
			}
			fault := u.reason
			if _, after, found := strings.Cut(fault, faultMark); found {
				fault = after
			}
			name := u.Name
			if side != identity.Local {
				name = p.source(side) + ": " + name
			}
			text := faultAt(name, fault)
			if len(u.held) > 0 {
				text += fmt.Sprintf("; it may hold %s, which %s seems to lack", names(u.held), side)
			}
			out = append(out, Notice{Warning: true, File: u.Name, Line: lineIn(fault), Text: text})
		}
	}
	return out
}

// names lists a few resources.
func names(matches []*Match) string {
	const most = 3
	var out []string
	for i, m := range matches {
		if i == most {
			return strings.Join(out, ", ") + " and " + wording.Plural(len(matches)-most, "more resource")
		}
		out = append(out, m.Newest().Meta.Kind+" "+m.Newest().Meta.Name)
	}
	return strings.Join(out, ", ")
}
