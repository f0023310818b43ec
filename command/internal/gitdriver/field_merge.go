package gitdriver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/command/internal/marking"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// fieldMerge is a file that was merged field by field.
type fieldMerge struct {
	pieces marker.Pieces
	// decisions are those of a setter, the newest version, a learned rule or the config.
	decisions []Decision
}

// mergeFields merges a file, whose versions are the packages, field by field, once with each side's version of the
// collisions, and compares the two results. An error says why the file cannot be merged by fields.
func mergeFields(ctx context.Context, v Versions, packages [3]pkgmerge.Package) (m fieldMerge, err error) {
	v, packages, names, err := v.withRenamedFields(packages)
	if err != nil {
		return m, err
	}
	options, err := v.fieldOptions(packages)
	if err != nil {
		return m, err
	}
	ours, theirs, err := v.Settings.Merge(ctx, packages, options)
	if err != nil {
		return m, err
	}
	if m, err = v.compareMerges(ours, theirs); err == nil {
		m.pieces, err = v.markNames(m.pieces, names)
	}
	return m, err
}

// compareMerges returns the pieces in which the merge in favor of our side and the one in favor of theirs differ.
func (v Versions) compareMerges(ours, theirs *pkgmerge.Result) (m fieldMerge, err error) {
	results := [3]*pkgmerge.Result{marker.Ours: ours, marker.Theirs: theirs}
	files := marking.Versions{marker.Base: {Name: v.fileName(), Data: v.Texts[marker.Base]}}
	for _, side := range [2]marker.Side{marker.Ours, marker.Theirs} {
		if files[side], err = onlyFile(results[side]); err != nil {
			return m, err
		}
	}
	var alone [3]bool // the sides with a document that the other lacks
	for _, c := range slices.Concat(ours.Changes, theirs.Changes) {
		if c.Has(identity.Local) != c.Has(identity.Upstream) {
			alone[identity.Local], alone[identity.Upstream] = alone[identity.Local] || c.Has(identity.Local), alone[identity.Upstream] || c.Has(identity.Upstream)
		}
	}
	if v.NoBase && alone[identity.Local] && alone[identity.Upstream] {
		return m, errors.New("both sides added the file, with other documents")
	}
	compared, err := marking.Compare(files, v.fileName(), results, marking.PairChanges(ours, theirs)[v.fileName()], true)
	if err == nil && compared.Settle(ours.Changes) > 0 {
		return m, errors.New("its collisions allow one version only, without markers")
	}
	m.pieces, m.decisions = compared.Pieces, decisionsIn(ours.Changes)
	if decided := decidedByConfig(ours.Changes); len(decided) > 0 {
		why := file.Config + " decided " + wording.Plural(len(decided), "conflict") + ": " + strings.Join(wording.First(decided, mostDecided), ", ")
		m.decisions = append(m.decisions, Decision{Rule: byConfig, Why: why})
	}
	return m, err
}

// mostDecided is how many conflicts that the config decided are named.
const mostDecided = 5

// decidedByConfig names each conflict that the config decided, but for learned rules, and the side that was taken (rules/git:
// the config file).
func decidedByConfig(changes []*pkgmerge.Change) (out []string) {
	for _, c := range changes {
		for _, conflict := range c.Conflicts {
			if _, _, learned := c.LearnedRule(conflict); learned || c.Marks(conflict) {
				continue
			}
			taken := "ours"
			if conflict.Chosen == identity.Upstream {
				taken = "theirs"
			}
			out = append(out, subjectOf(c.Newest().Meta, conflict.Path)+" takes "+taken)
		}
	}
	return out
}

// Decision is one that the driver took without asking.
type Decision struct {
	// Rule is the rule that decided: the kind of a remark of merge's, "learned", or "config".
	Rule string
	// Document identifies the document, and Path the value in it, nil for the whole. Those of a config have neither, since one sentence
	// tells them all.
	Document identity.Meta
	Path     *merge.Path
	// Why gives the reason, without the value, which may be secret; of a lost comment it has the first line, unless that may be.
	Why string
}

// maxComment is the largest number of bytes of a comment that is told.
const maxComment = 80

// The rules that are no remarks of merge's.
const byLearnedRule, byConfig = "learned", "config"

// String returns the sentence that tells the decision.
func (d Decision) String() string {
	if d.Rule == byConfig {
		return d.Why
	}
	return subjectOf(d.Document, d.Path) + ": " + d.Why
}

// decisionsIn returns each decision of a setter, the newest version or a learned rule (rules/git: values that a machine
// owns; rules/learn: reports).
func decisionsIn(changes []*pkgmerge.Change) (out []Decision) {
	for _, c := range changes {
		add := func(rule string, at *merge.Path, why string) {
			out = append(out, Decision{Rule: rule, Document: c.Newest().Meta, Path: at, Why: why})
		}
		for _, r := range c.Remarks {
			why := explainRemark(r)
			if r.Comment != "" && !c.MayHoldSecret(r.Path) {
				why += ": " + wording.Visible(wording.Cut(r.Comment, maxComment), "")
			}
			if why != "" {
				add(string(r.Kind), r.Path, why)
			}
		}
		for _, conflict := range c.Conflicts {
			if rule, index, decided := c.LearnedRule(conflict); decided {
				add(byLearnedRule, conflict.Path, fmt.Sprintf("decided as before by conflicts.rules[%d]: %s", index, rule.Learned))
			}
		}
	}
	return out
}

// explainRemark says why a setter or the newest version decided a value, or that a comment was deleted; it is "" for
// another remark.
func explainRemark(r merge.Remark) string {
	ours, theirs := "ours", "theirs"
	if r.Chosen == identity.Upstream {
		ours, theirs = theirs, ours
	}
	switch r.Kind {
	case merge.NewerBump:
		return "a setter wrote both versions, and the newer was taken, " + ours
	case merge.DeletedBump:
		return "a setter wrote " + theirs + ", and " + ours + " deleted the field; it stays deleted"
	case merge.Newest:
		return "the newer version was taken, " + ours
	case merge.OwnComment:
		if r.Values[identity.Upstream] != nil {
			return "theirs deleted a part of it, and ours had a comment of its own there"
		}
		return "theirs deleted it, and ours had a comment of its own there"
	case merge.UpstreamComment:
		if r.Values[identity.Local] != nil {
			return "ours deleted a part of it, and theirs changed a comment there"
		}
		return "ours deleted it, and theirs changed a comment there"
	}
	return ""
}

// subjectOf names a field of a resource.
func subjectOf(meta identity.Meta, at *merge.Path) string {
	return strings.TrimSpace(wording.Object(meta.Kind, meta.Namespace, meta.Name) + " " + at.String())
}

// packages returns the versions as packages of one file.
func (v Versions) packages() (packages [3]pkgmerge.Package, err error) {
	sides := [3]identity.Side{marker.Ours: identity.Local, marker.Base: identity.Origin, marker.Theirs: identity.Upstream}
	for side, text := range v.Texts {
		if packages[sides[side]], err = v.packageOf(text); err != nil {
			return packages, err
		}
	}
	return packages, nil
}

// packageOf returns a text as a package of one file.
func (v Versions) packageOf(text []byte) (p pkgmerge.Package, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return pkgmerge.NewPackage(nil)
	}
	p, err = pkgmerge.NewPackage([]pkgmerge.File{{Name: v.fileName(), Mode: 0o644, Data: text}})
	if err == nil && len(p.Resources) == 0 {
		err = errors.New("it is not YAML of mappings")
	}
	return p, err
}

// fileName returns the name by which the file is read, and by which rules select a document without a kind: its own if
// that determines the type of file. A Kptfile is a resource like any other, since its branches belong to one package.
func (v Versions) fileName() string {
	name := path.Base(v.Path)
	if ext := path.Ext(name); ext == ".json" || ext == ".yaml" || ext == ".yml" || name == "Kustomization" {
		return name
	}
	return "file.yaml"
}

// onlyFile returns the only file of a result, nil if it lost its last document.
func onlyFile(r *pkgmerge.Result) (*pkgmerge.File, error) {
	for _, f := range r.FileChanges {
		if f.Fault != "" {
			return nil, errors.New(strings.TrimPrefix(f.Fault, f.Name+": "))
		}
	}
	files, err := r.Files()
	if err != nil || len(files) == 0 {
		return nil, err
	}
	return &files[0], nil
}

// mixedDocument returns the document in which a merge of lines has a field that the new apiVersion lacks and the old
// one has (rules/resources: a new apiVersion): one side changed the apiVersion, and the other side the field.
func (v Versions) mixedDocument(merged []byte) (document string, found bool) {
	if bytes.Equal(apiVersions(merged), apiVersions(v.Texts[marker.Base])) {
		return "", false
	}
	sides, err := v.packages()
	if err != nil {
		return "", false
	}
	result, err := v.packageOf(merged)
	if err != nil {
		return "", false
	}
	known := schema.New(nil, nil, true)
	before := byUnversionedID(sides[identity.Origin])
	ours, theirs := byUnversionedID(sides[identity.Local]), byUnversionedID(sides[identity.Upstream])
	for _, r := range result.Resources {
		old := before[unversionedID(r)]
		if old == nil || old.Meta.APIVersion == r.Meta.APIVersion {
			continue
		}
		for _, side := range [2]*pkgmerge.Resource{ours[unversionedID(r)], theirs[unversionedID(r)]} {
			if side != nil && side.Meta.APIVersion == r.Meta.APIVersion && hasOldField(r, old, known) && !hasOldField(side, old, known) {
				return r.Meta.Kind + " " + r.Meta.Name, true
			}
		}
	}
	return "", false
}

// hasOldField reports whether a document has a field of its old apiVersion that its own lacks.
func hasOldField(r, old *pkgmerge.Resource, known *schema.Schema) bool {
	tree, err := r.Tree()
	return err == nil && merge.HasForeign(tree, schemaOf(old, known).Type, schemaOf(r, known).Type)
}

// schemaOf returns the schema of a document's kind and apiVersion.
func schemaOf(r *pkgmerge.Resource, known *schema.Schema) schema.Resource {
	return known.Resource(identity.Group(r.Meta.APIVersion), identity.Version(r.Meta.APIVersion), r.Meta.Kind)
}

// byUnversionedID indexes the documents of a version regardless of their group and apiVersion.
func byUnversionedID(p pkgmerge.Package) map[identity.ID]*pkgmerge.Resource {
	out := make(map[identity.ID]*pkgmerge.Resource, len(p.Resources))
	for _, r := range p.Resources {
		out[unversionedID(r)] = r
	}
	return out
}

// unversionedID returns a document's identity without its group.
func unversionedID(r *pkgmerge.Resource) identity.ID {
	id := r.ID()
	id.Group = ""
	return id
}

// apiVersions returns the lines of a text that have an apiVersion.
func apiVersions(text []byte) (out []byte) {
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("apiVersion:")) || bytes.Contains(line, []byte(`"apiVersion":`)) {
			out = append(out, bytes.TrimSpace(line)...)
		}
	}
	return out
}
