package review

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch/kustomize"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

// Charts returns the chart of a release at a version.
type Charts func(r *values.Release) (*values.Chart, error)

// findReleases returns the bumps of charts (rules/review: bumps), and a note for each changed file that cannot be parsed.
func findReleases(old, now kustomize.Files, names []string) (found []*Bump, notes []string, err error) {
	over := [2]overlays{{&kustomize.Graph{Files: old}}, {&kustomize.Graph{Files: now}}}
	names, err = over[1].withBases(names)
	if err != nil {
		return nil, nil, err
	}
	before, _, err := releases(old, names)
	if err != nil {
		return nil, nil, err
	}
	after, notes, err := releases(now, names)
	if err != nil {
		return nil, nil, err
	}
	for _, is := range after {
		was := counterpart(is, before)
		if was == nil || is.Chart == "" || is.Base != nil {
			continue
		}
		bumps := map[string][]variant{}
		var keys []string
		layeredBefore := over[0].layered(was, before)
		for at, r := range over[1].layered(is, after) {
			v := variant{layeredBefore[at], r}
			if v.was == nil {
				v.was = was
			}
			key := ""
			if v.isBump() {
				key = versionOf(v.was, v.is) + "\x00" + versionOf(v.is, v.was)
			}
			bumps[key] = append(bumps[key], v)
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range slices.Compact(keys) {
			if key == "" {
				continue
			}
			var others []variant
			for other, variants := range bumps {
				if other != key {
					others = append(others, variants...)
				}
			}
			b := &Bump{Name: is.Name, File: is.File}
			b.Old, b.New, _ = strings.Cut(key, "\x00")
			found = append(found, valuesBump(b, sorted(bumps[key]), sorted(others), chartsOf))
		}
	}
	return found, notes, nil
}

// sorted returns variants in an order that is the same each time.
func sorted(all []variant) []variant {
	slices.SortFunc(all, func(a, b variant) int { return slices.Compare(a.is.Files(), b.is.Files()) })
	return all
}

// sources are the texts in manifests with objects that a release may name, and those with which a release names the sources in some files: one in
// another directory may take its chart from a source that changed.
func sources(in kustomize.Files, names []string) []string {
	texts := []string{"kind: HelmRepository", "kind: OCIRepository", "kind: GitRepository"}
	for _, name := range names {
		texts = append(texts, namesOfSources(in, name)...)
	}
	return texts
}

// releases returns the releases in changed files and in those beside them, with a note for each changed file that cannot be parsed.
func releases(in kustomize.Files, names []string) (found []*values.Release, notes []string, err error) {
	if !slices.ContainsFunc(names, in.Has) {
		return nil, nil, nil
	}
	all, err := beside(in, names, sources(in, names))
	if err != nil {
		return nil, nil, err
	}
	files, err := readFiles(in, all)
	if err != nil {
		return nil, nil, err
	}
	files = slices.DeleteFunc(files, func(f pkgmerge.File) bool {
		_, err := values.Releases([]pkgmerge.File{f})
		if err != nil && !isTemplate(f.Data) && slices.Contains(names, f.Name) {
			notes = append(notes, fmt.Sprintf("%v; its releases are not judged", err))
		}
		return err != nil
	})
	for range kustomize.MaxDepth { // a values file of a release may be anywhere
		if found, err = values.Releases(files); err != nil {
			return nil, nil, err
		}
		var more []string
		for _, r := range found {
			more = append(more, r.Missing...)
		}
		slices.Sort(more)
		read, err := readFiles(in, slices.Compact(more))
		if err != nil || len(read) == 0 {
			return found, notes, err
		}
		files = append(files, read...)
	}
	return found, notes, err
}

// namesOfSources returns the texts with which a release names the OCIRepositories and GitRepositories of a file.
func namesOfSources(in kustomize.Files, name string) (texts []string) {
	if !in.Has(name) {
		return nil
	}
	data, err := in.Read(name)
	if err != nil || !bytes.Contains(data, []byte("kind: OCIRepository")) && !bytes.Contains(data, []byte("kind: GitRepository")) {
		return nil
	}
	all, _ := yamlnode.Documents(data) // a file that cannot be parsed has none behind the fault
	for _, n := range all {
		if m := yamlnode.MetaOf(n); m.Kind == "OCIRepository" || m.Kind == "GitRepository" {
			texts = append(texts, "name: "+m.Name)
		}
	}
	return texts
}

// counterpart returns the release of another version that is the same: in the same file, else the only one of its name and chart.
func counterpart(is *values.Release, others []*values.Release) *values.Release {
	var found []*values.Release
	for _, was := range others {
		if was.Name != is.Name || path.Base(was.Chart) != path.Base(is.Chart) {
			continue
		}
		if was.File == is.File {
			return was
		}
		found = append(found, was)
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// variant is one way in which values lie over a chart: of a release with the patches of one overlay, or with one more values file.
type variant struct{ was, is *values.Release }

// charts return the two versions of a variant's chart.
type charts func(v variant, from Upstream) (origin, upstream *values.Chart, err error)

func chartsOf(v variant, from Upstream) (origin, upstream *values.Chart, err error) {
	if origin, err = from.Charts(v.was); err != nil {
		return nil, nil, err
	}
	upstream, err = from.Charts(v.is)
	return origin, upstream, err
}

// isBump reports whether the two releases of a variant have another version of the chart.
func (v variant) isBump() bool {
	return v.was.Version != v.is.Version || v.was.Repository != v.is.Repository || v.was.Chart != v.is.Chart
}

// valuesBump returns the bump of a chart that has several variants. A line that is in several of them is dead or redundant if it is so in all,
// also in others that have another version.
func valuesBump(b *Bump, bumped, others []variant, of charts) *Bump {
	b.compare = func(from Upstream) error {
		shared := map[string]*Line{}
		var edits []func(remove func(*Line) bool) ([]values.Replacement, error)
		for n, v := range slices.Concat(bumped, others) {
			origin, upstream, err := of(v, from)
			if err != nil && n < len(bumped) {
				return err
			} else if err != nil {
				b.keepShared(shared, v.is, err.Error())
				continue
			}
			edit, err := b.compareValues(v.is, origin, upstream, shared, n < len(bumped))
			if err != nil {
				return err
			}
			edits = append(edits, edit)
			if n == 0 {
				if err := b.compareRendered(v.is, [2]*values.Chart{origin, upstream}, from); err != nil {
					return err
				}
			}
		}
		b.edits = func(remove func(*Line) bool) (changes []values.Replacement, err error) {
			edited := map[string]bool{}
			for _, edit := range edits[:len(bumped)] {
				more, err := edit(remove)
				if err != nil {
					return nil, err
				}
				place := func(c values.Replacement) string { return fmt.Sprint(c.File, ":", c.Start) }
				more = slices.DeleteFunc(more, func(c values.Replacement) bool { return edited[place(c)] })
				for _, c := range more {
					edited[place(c)] = true
				}
				changes = append(changes, more...)
			}
			return changes, nil
		}
		return nil
	}
	return b
}

// keepShared makes the lines needed that another variant has, which cannot be judged.
func (b *Bump) keepShared(shared map[string]*Line, in *values.Release, reason string) {
	for _, l := range shared {
		if slices.Contains(in.Files(), l.File) {
			l.keep("the release with " + in.File + " is not judged: " + reason)
		}
	}
}

// keep makes a line needed that is dead or redundant.
func (l *Line) keep(reason string) {
	if l.Class == Dead || l.Class == Redundant {
		l.Class, l.Was, l.Note = Needed, Needed, "not judged: "+reason
	}
}

// versionOf returns the version of a release, with its repository where another release has another one.
func versionOf(r, other *values.Release) string {
	if r.Version != other.Version {
		return r.Version
	}
	return strings.TrimSpace(r.Version + " of " + r.Repository + "/" + r.Chart)
}

// compareValues compares the values of a release with both versions of its chart, and returns their edits. Lines that an earlier variant had
// are not counted again.
func (b *Bump) compareValues(is *values.Release, origin, upstream *values.Chart, shared map[string]*Line, isBumped bool) (edit func(func(*Line) bool) ([]values.Replacement, error), err error) {
	before, err := is.Compare(origin, origin)
	if err != nil {
		return nil, err
	}
	compared, err := is.Compare(origin, upstream)
	if err != nil {
		return nil, err
	}
	lineOf := map[*values.Finding]*Line{}
	edit = func(remove func(*Line) bool) ([]values.Replacement, error) {
		edited, err := compared.Edits(true, func(f *values.Finding) bool {
			l := lineOf[f]
			return l == nil || f.Class != values.Renamed && !remove(l)
		})
		if err != nil {
			return nil, err
		}
		return is.Replacements(edited, "")
	}
	shown := *compared // Locate changes the names by which the edits find the lines
	shown.Findings = nil
	for _, f := range compared.Findings {
		one := *f
		shown.Findings = append(shown.Findings, &one)
	}
	is.Locate(&shown)
	classes := map[string]Class{}
	for _, f := range before.Findings {
		classes[f.File+"\x00"+values.PathText(f.Path)] = classOf(f.Class)
	}
	for i, f := range compared.Findings {
		if f.Class == values.New {
			continue
		}
		l := valueLine(shown.Findings[i])
		if l.Was = classes[f.File+"\x00"+values.PathText(f.Path)]; f.OverriddenBy != "" {
			l.Was, l.Note = l.Class, strings.TrimPrefix(l.Note+"; "+shown.Findings[i].OverriddenBy+" overrides it", "; ")
		}
		key := fmt.Sprint(l.File, ":", l.Number, ":", l.Path)
		if other := shared[key]; other != nil {
			if lineOf[f] = other; l.Class != Dead && l.Class != Redundant {
				other.keep("with " + strings.Join(is.Files(), ", ") + " it is " + string(l.Class))
			}
			continue
		}
		if shared[key], lineOf[f] = l, l; isBumped {
			b.Lines = append(b.Lines, l)
		}
	}
	if !isBumped {
		return edit, nil
	}
	for _, note := range compared.Unread {
		if !slices.Contains(b.Notes, note) {
			b.Notes = append(b.Notes, note)
		}
	}
	for _, f := range shown.Failures {
		l := &Line{
			Class: Refused, Layer: "values", File: f.File, Number: f.UserLine, Path: values.PathText(f.Path),
			Note: strings.TrimSuffix(fmt.Sprintf("the new chart fails with your values at %s:%d: %s", f.Template, f.Line, f.Message), ": "),
		}
		if key := fmt.Sprint(l.File, l.Number, l.Note); shared[key] == nil {
			shared[key] = l
			b.Lines = append(b.Lines, l)
		}
	}
	return edit, nil
}

// classOf returns the class of a line of values in the words of all layers: a value that no version of the chart knows is dead.
func classOf(class values.Class) Class {
	if class == values.Unknown {
		return Dead
	}
	return Class(class)
}

// valueLine returns the line of a finding.
func valueLine(of *values.Finding) *Line {
	f := of.Redacted(Hidden)
	l := &Line{
		Class: classOf(f.Class), Layer: "values", File: f.File, Number: f.Line, Path: values.PathText(f.Path), NewPath: values.PathText(f.NewPath),
		Value: f.Value, Old: f.OldDefault, New: f.NewDefault, HasOld: f.HasOld, HasNew: f.HasNew, Note: f.Note,
	}
	for _, path := range append(f.Candidates, f.Nearest) {
		if path != nil {
			l.Candidates = append(l.Candidates, values.PathText(path))
		}
	}
	if f.Class == values.Unknown {
		l.Note = strings.TrimPrefix(l.Note+"; no version of the chart has it", "; ")
	}
	return l
}
