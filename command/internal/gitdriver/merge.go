package gitdriver

import (
	"bytes"
	"context"
	"errors"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Merge merges a file. A merge of the lines without a conflict is the result, unless it is faulty
// (rules/git: never worse than git). Lines are merged by git only if the outcome is uncertain
// without it. Markers have git's style if the format has none; git is asked for the style only if
// there are markers. An error is a failure of git or of the machine.
func (g Git) Merge(ctx context.Context, v Versions, f marker.Format) (Merged, error) {
	if text, found := v.trivial(); found {
		return Merged{Text: text, Method: OneSide}, nil
	}
	if bare, marked := v.withoutMark(); marked {
		if m, err := g.Merge(ctx, bare, f); err != nil || !f.HasMarker(firstLine(m.Text)) {
			m.Text = append([]byte(stream.ByteOrderMark), m.Text...)
			return m, err
		}
	}
	byLines := Merged{Method: ByLines}
	var certain bool
	var err error
	if byLines.Text, certain = v.mergeCertainLines(); !certain {
		byLines.Text, byLines.Conflicts, err = g.MergeLines(ctx, v, f)
	}
	switch {
	case errors.Is(err, errBinary):
		return Merged{Text: v.Texts[marker.Ours], Conflicts: 1, Method: NotMerged, Reason: err.Error()}, nil
	case err != nil:
		return Merged{Method: ByLines}, err
	case byLines.Conflicts > 0:
		return g.mergeConflicting(ctx, v, f, byLines)
	}
	return g.checkLines(ctx, v, f, byLines)
}

// mergeConflicting merges the fields of a file whose lines collide. The lines remain if the fields collide more. If the
// merge of the fields has something twice outside of its conflicts, the whole of ours and theirs is in conflict.
func (g Git) mergeConflicting(ctx context.Context, v Versions, f marker.Format, byLines Merged) (Merged, error) {
	packages, err := v.mergeable(f)
	if err != nil {
		byLines.Reason = err.Error()
		return byLines, nil
	}
	if document, found := findUncertain(packages); found {
		byLines.Reason = document + " may have another name on a side"
		return byLines, nil
	}
	fields, err := mergeFields(ctx, v, packages)
	if err != nil {
		byLines.Reason = err.Error()
		return byLines, ctx.Err()
	}
	pieces, decisions := fields.pieces, fields.decisions
	repeats := v.repeats(pieces)
	if repeats {
		pieces, decisions = marker.Lines(v.Texts[marker.Ours], v.Texts[marker.Theirs]), nil
	}
	if !pieces.Conflict() {
		text := f.Render(pieces)
		if what, found := v.lostLine(text); found && len(decisions) == 0 { // decisions tell of comments
			byLines.Reason = "the merge of its fields lacks a change of " + what
			return byLines, nil
		}
		return Merged{Text: text, Method: ByFields, OfLines: byLines.Conflicts, Decisions: decisions}, nil
	}
	if f.Style, err = g.conflictStyle(ctx, f, byLines.Text); err != nil {
		return byLines, err
	}
	byGit := f.Parse(byLines.Text)
	_, gitLines := v.withWholeElements(byGit).Conflicts()
	whole := pieces
	if pieces = v.shrink(pieces, gitLines); v.mixesSides(pieces) {
		pieces = whole
	}
	n, marked := pieces.Conflicts()
	if marked > gitLines && !repeats && !v.repeats(byGit) && !v.addsTwice(byGit) && !v.mixesSides(byGit) {
		byLines.Reason = "its fields collide more than its lines"
		return byLines, nil
	}
	return Merged{Text: f.Render(pieces), Conflicts: n, Method: ByFields, OfLines: byLines.Conflicts, Decisions: decisions}, nil
}

// conflictStyle returns the style of the markers: the format's own, else the style of git's merge of the lines.
func (g Git) conflictStyle(ctx context.Context, f marker.Format, byLines []byte) (marker.Style, error) {
	switch {
	case f.Style != "":
		return f.Style, nil
	case !f.ShowsBase(byLines):
		return marker.Merge, nil // git merged the lines in the style that its configuration says
	}
	return g.style(ctx)
}

// mergeable returns the versions as packages. An error says why the file is not merged by fields, whatever its versions have in them.
func (v Versions) mergeable(f marker.Format) (packages [3]pkgmerge.Package, err error) {
	if v.unconfigured != nil {
		return packages, v.unconfigured
	}
	for _, text := range v.Texts {
		if f.HasMarker(text) {
			return packages, errors.New("it has conflict markers in it")
		}
		if bytes.Contains(text, []byte("cli-utils.sigs.k8s.io/inventory-id")) {
			return packages, errors.New("an inventory is its cluster's own")
		}
	}
	return v.packages()
}

func (v Versions) fieldOptions(packages [3]pkgmerge.Package) (pkgmerge.Options, error) {
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		for r, was := range pairDocuments(packages[identity.Origin].Resources, packages[side].Resources).of {
			r.Was = was
		}
	}
	options, err := v.Settings.Options(packages[identity.Local])
	if err != nil {
		return options, err
	}
	options.Profile, options.Strategy = pkgmerge.Branch, pkgmerge.ResourceMerge{}
	options.NoOrigin = len(packages[identity.Origin].Resources) == 0
	return options, nil
}

// findFault describes the fault in a merge of lines without a conflict that the merge itself shows (rules/git: never worse than git), "" if
// there is none. misplaced means that lines may be in wrong places.
func (v Versions) findFault(merged []byte, misplaced bool) string {
	if (!isPlain(merged) || misplaced) && v.IsDamaged(merged) {
		return "but the result has duplicates or is not valid YAML"
	}
	if where, found := v.mixedDocument(merged); found {
		return "but not as both sides changed " + where
	}
	if where, found := v.mixedVersion(merged); found {
		return "but the result mixes both sides' versions of one value, " + where
	}
	return ""
}

// checkLines returns a merge of lines without a conflict, or the merge of the fields in its place: if the lines are faulty, or if they may
// be in wrong places and the fields have others (rules/git: never worse than git). If the fields cannot be merged, the lines
// remain. If the fields have something twice, the whole of ours and theirs is in conflict.
func (g Git) checkLines(ctx context.Context, v Versions, f marker.Format, byLines Merged) (Merged, error) {
	decoded := v
	for side, text := range v.Texts {
		decoded.Texts[side], _ = stream.Decode(text)
	}
	merged, _ := stream.Decode(byLines.Text)
	misplaced := decoded.mayMisplace(merged)
	fault := decoded.findFault(merged, misplaced)
	if fault == "" && !misplaced && !decoded.mayMisplaceAliased(merged) {
		return byLines, nil
	}
	var fields fieldMerge
	packages, err := v.mergeable(f)
	if err == nil {
		fields, err = mergeFields(ctx, v, packages)
	}
	switch {
	case err != nil && fault == "":
		return byLines, ctx.Err()
	case err != nil:
		byLines.Reason = "its lines do not collide, " + fault + "; and " + err.Error()
		return byLines, ctx.Err()
	}
	pieces, decisions := fields.pieces, fields.decisions
	if fault == "" {
		where, differs := decoded.findMisplaced(merged, pieces)
		if !differs {
			return byLines, nil
		}
		fault = "but not as both sides changed " + where
	}
	if v.repeats(pieces) {
		pieces, decisions = marker.Lines(v.Texts[marker.Ours], v.Texts[marker.Theirs]), nil
	}
	pieces = v.shrink(pieces, 0)
	n, _ := pieces.Conflicts()
	if n == 0 && bytes.Equal(f.Render(pieces), byLines.Text) {
		return byLines, nil
	}
	if n > 0 && f.Style == "" {
		if f.Style, err = g.style(ctx); err != nil {
			return byLines, err
		}
	}
	return Merged{Text: f.Render(pieces), Conflicts: n, Method: ByFields, Fault: fault, Decisions: decisions}, nil
}

// shrink returns pieces that mark no more lines than git with whole elements, if possible: lines that ours and theirs
// have in common leave the conflicts at their ends or, if every mixture is readable, in the middle.
func (v Versions) shrink(pieces marker.Pieces, gitLines int) marker.Pieces {
	if _, marked := pieces.Conflicts(); marked <= gitLines {
		return pieces
	}
	pieces = v.withWholeElements(pieces.Trimmed())
	if _, marked := pieces.Conflicts(); marked <= gitLines {
		return pieces
	}
	if split := v.withWholeElements(pieces.Split()); v.isMixable(split) {
		return split
	}
	return pieces
}

// withWholeElements returns pieces in which added elements are whole, in any list.
func (v Versions) withWholeElements(pieces marker.Pieces) marker.Pieces {
	return pieces.WithWholeElements(v.Texts[marker.Base], func(int) bool { return true })
}

// Versions are three versions of a file.
type Versions struct {
	// Path is the path of the file in the repository.
	Path string
	// Texts are indexed by marker.Side.
	Texts [3][]byte
	// NoBase means that both sides added the file.
	NoBase bool
	// Settings are the settings of the config beside the file or in a directory above it.
	Settings config.Settings
	// unconfigured is the error of a config that cannot be read, whose rules may decide what collides.
	unconfigured error
}

// Method is the method by which a file was merged.
type Method string

const (
	// ByLines merges lines, as git does.
	ByLines Method = "lines"
	// ByFields merges field by field.
	ByFields Method = "fields"
	// OneSide takes one side's version, since the other side equals it or did not change.
	OneSide Method = "one side"
	// NotMerged keeps ours, in conflict.
	NotMerged Method = "not merged"
)

// Merged is a merged file.
type Merged struct {
	Text []byte
	// Conflicts is the number of conflicts.
	Conflicts int
	// OfLines is the number of conflicts in git's merge of the lines, which was not used.
	OfLines int
	Method  Method
	// Reason says why the file was not merged field by field although lines collide.
	Reason string
	// Fault says what is wrong with git's merge of the lines, which has no conflict, so that the
	// fields were merged instead; "" if nothing is.
	Fault string
	// Decisions are those of a setter, the newest version or a learned rule, one for each value, and one for all conflicts that the config
	// decided.
	Decisions []Decision
}

// trivial returns the result if at most one side changed the file, or both sides are equal.
func (v Versions) trivial() ([]byte, bool) {
	ours, base, theirs := v.Texts[marker.Ours], v.Texts[marker.Base], v.Texts[marker.Theirs]
	switch {
	case bytes.Equal(ours, theirs) || bytes.Equal(base, theirs) && !v.NoBase:
		return ours, true
	case bytes.Equal(base, ours) && !v.NoBase:
		return theirs, true
	}
	return nil, false
}

// withoutMark returns the versions without the byte order mark that each of them begins with. A mark would tell the first line of one
// document from the same line in another version's second document.
func (v Versions) withoutMark() (bare Versions, marked bool) {
	for side, text := range v.Texts {
		rest, has := bytes.CutPrefix(text, []byte(stream.ByteOrderMark))
		if !has && len(text) > 0 {
			return v, false
		}
		v.Texts[side], marked = rest, marked || has
	}
	return v, marked
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}

// explainFault says why git's merge of the lines was not used.
func (m Merged) explainFault() string {
	return "git merges its lines without a conflict, " + m.Fault + "; its fields are merged instead"
}
