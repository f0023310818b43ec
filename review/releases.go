package review

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

// Charts returns the chart of a release at a version.
type Charts func(r *values.Release) (*values.Chart, error)

// findReleases returns the bumps of charts (rules/review: bumps), and a note for each changed file that cannot be parsed.
func findReleases(old, now Files, names []string) (found []*Bump, notes []string, err error) {
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
		if was == nil || was.Version == is.Version && was.Repository == is.Repository && was.Chart == is.Chart {
			continue
		}
		found = append(found, releaseBump(was, is, now))
	}
	return found, notes, nil
}

// sources are the texts in manifests with objects that a release may name.
func sources() []string {
	return []string{"kind: HelmRepository", "kind: OCIRepository", "kind: GitRepository"}
}

// releases returns the releases in changed files and in those beside them, with a note for each changed file that cannot be parsed.
func releases(in Files, names []string) (found []*values.Release, notes []string, err error) {
	if !slices.ContainsFunc(names, in.has) {
		return nil, nil, nil
	}
	texts := sources()
	for _, name := range names { // a release in another directory may take its chart from a source that changed
		texts = append(texts, namesOfSources(in, name)...)
	}
	all, err := in.beside(names, texts)
	if err != nil {
		return nil, nil, err
	}
	files, err := in.read(all)
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
	found, err = values.Releases(files)
	return found, notes, err
}

// namesOfSources returns the texts with which a release names the OCIRepositories and GitRepositories of a file.
func namesOfSources(in Files, name string) (texts []string) {
	if !in.has(name) {
		return nil
	}
	data, err := in.Read(name)
	if err != nil || !bytes.Contains(data, []byte("kind: OCIRepository")) && !bytes.Contains(data, []byte("kind: GitRepository")) {
		return nil
	}
	for _, n := range documents(data) {
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

// releaseBump returns the bump of a release.
func releaseBump(was, is *values.Release, now Files) *Bump {
	b := &Bump{Name: is.Name, File: is.File, Old: versionOf(was, is), New: versionOf(is, was)}
	b.compare = func(from Upstream) error {
		origin, err := from.Charts(was)
		if err != nil {
			return err
		}
		upstream, err := from.Charts(is)
		if err != nil {
			return err
		}
		if err := b.compareValues(is, origin, upstream, now); err != nil {
			return err
		}
		return b.compareRendered(is, [2]*values.Chart{origin, upstream}, from, now)
	}
	return b
}

// versionOf returns the version of a release, with its repository where another release has another one.
func versionOf(r, other *values.Release) string {
	if r.Version != other.Version {
		return r.Version
	}
	return strings.TrimSpace(r.Version + " of " + r.Repository + "/" + r.Chart)
}

// compareValues compares the values of a release with both versions of its chart.
func (b *Bump) compareValues(is *values.Release, origin, upstream *values.Chart, now Files) error {
	before, err := is.Compare(origin, origin)
	if err != nil {
		return err
	}
	compared, err := is.Compare(origin, upstream)
	if err != nil {
		return err
	}
	lineOf := map[*values.Finding]*Line{}
	b.edits = func(remove func(*Line) bool) ([]values.Replacement, error) {
		edited, err := compared.Edits(true, func(f *values.Finding) bool {
			l := lineOf[f]
			return l == nil || f.Class != values.Renamed && !remove(l)
		})
		if err != nil {
			return nil, err
		}
		changes, err := is.Replacements(edited, "")
		if err != nil {
			return nil, err
		}
		layers, err := layerEdits(now, b.Lines, remove)
		return append(changes, layers...), err
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
		lineOf[f] = l
		if l.Was = classes[f.File+"\x00"+values.PathText(f.Path)]; f.OverriddenBy != "" {
			l.Was, l.Note = l.Class, strings.TrimPrefix(l.Note+"; "+shown.Findings[i].OverriddenBy+" overrides it", "; ")
		}
		if l.Class == Redundant && len(is.Unread) > 0 {
			l.Class, l.Was, l.Note = Needed, Needed, "not judged: it is the new default, and values that are not read may have another one"
		}
		b.Lines = append(b.Lines, l)
	}
	b.Notes = append(b.Notes, compared.Unread...)
	for _, f := range shown.Failures {
		b.Lines = append(b.Lines, &Line{
			Class: Refused, Layer: "values", File: f.File, Number: f.UserLine, Path: values.PathText(f.Path),
			Note: strings.TrimSuffix(fmt.Sprintf("the new chart fails with your values at %s:%d: %s", f.Template, f.Line, f.Message), ": "),
		})
	}
	return nil
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
