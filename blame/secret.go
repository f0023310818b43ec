package blame

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/resource-merge/resource-merge/internal/secrecy"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// hidden stands for a value that may be secret (rules/reports: secrets).
const hidden = "(hidden)"

// hideSecrets marks the values and lines of a file that may be secret, at a version.
func (w *walk) hideSecrets(a *Annotation, at *revision, name string, text []byte) error {
	files, err := w.kustomizations(at, name)
	if err != nil {
		return err
	}
	p, err := pkgmerge.NewPackage(append(files, pkgmerge.File{Name: name, Mode: 0o644, Data: text}))
	if err != nil {
		p = pkgmerge.Package{}
	}
	for _, d := range a.documents {
		if d.item == nil {
			a.hideLines(d, p.IsSecretFile(name) || pkgmerge.HoldsSecret(yamlnode.String(string(d.text))))
			continue
		}
		isSecret := p.Secrets(pkgmerge.FromItem(name, d.index, d.item))
		var at *merge.Path
		d.isSecret = isSecret(at.Field("metadata").Field("annotations")) // of a Secret comments are hidden, too
		for _, u := range a.unitsOf[d] {
			switch {
			case u.leaf == nil:
				u.isHidden = d.isSecret || secrecy.Line(a.text[u.line-1])
			case u.leaf.isWhole:
				u.isHidden = !secrecy.IsPublic(u.leaf.path.String()) && isSecret(u.leaf.path)
			}
		}
	}
	return nil
}

// hideLines marks the lines of a document without fields that set a secret, or all.
func (a *Annotation) hideLines(d *document, all bool) {
	for _, u := range a.unitsOf[d] {
		u.isHidden = all || secrecy.Line(a.text[u.line-1])
	}
}

// kustomizations reads the kustomizations in the directory of a file and in those above it, without the file: they may make
// a Secret of it.
func (w *walk) kustomizations(at *revision, name string) (files []pkgmerge.File, err error) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		for _, base := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
			one := path.Join(dir, base)
			if info, err := os.Lstat(filepath.Join(w.work.Top, filepath.FromSlash(one))); one == name || at.tree == "" && (err != nil || !info.Mode().IsRegular()) {
				continue
			}
			text, err := w.content(at, one)
			if err != nil {
				return nil, err
			}
			if text != nil {
				files = append(files, pkgmerge.File{Name: one, Mode: 0o644, Data: text})
			}
		}
		if dir == "." || dir == "/" {
			return files, nil
		}
	}
}

// shown returns the lines of the file without values that may be secret.
func (a *Annotation) shown() []string {
	out := make([]string, len(a.text))
	var in *unit // the field in which the line is
	for i, raw := range a.text {
		line := strings.TrimRight(string(raw), "\r\n")
		var begun, comment *unit
		for _, u := range a.first[i+1] {
			switch {
			case u.leaf == nil:
				comment = u
			case begun == nil || !begun.isHidden:
				begun = u
			}
		}
		switch {
		case begun != nil:
			in = begun
			line = begun.without(line)
		case isBetween(raw) && !strings.HasPrefix(line, " "):
			if len(line) > 0 {
				in = nil
			}
		case in != nil && in.isHidden || comment != nil && comment.isHidden:
			line = line[:len(line)-len(strings.TrimLeft(line, " \t"))] + hidden
		}
		out[i] = line
	}
	return out
}

// without returns the line in which a field begins without the field's value, if that may be secret, and in a Secret without
// the comment behind a value.
func (u *unit) without(line string) string {
	if u.isHidden {
		runes := []rune(line)
		if at := u.leaf.value.Column - 1; u.in.line-1+u.leaf.value.Line == u.line && at >= 0 && at <= len(runes) {
			return string(runes[:at]) + hidden
		}
	}
	if at := strings.Index(line, " #"); at >= 0 && (u.isHidden || u.in.isSecret) {
		return line[:at]
	}
	return line
}

// isBinary reports whether a text is of a binary file, which has no lines (rules/files: text and other files).
func isBinary(text []byte) bool { return bytes.IndexByte(text, 0) >= 0 }
