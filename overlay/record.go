package overlay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

const (
	kustomizationFile = "kustomization.yaml"
	// recordFile is the file of an overlay that lists the files as they were written. Its name
	// is one that neither kustomize nor kpt reads.
	recordFile = ".resource-merge-overlay"
	recordHead = "# resource-merge overlay wrote these files, and replaces only those that are unchanged.\n"
	recordEnd  = "---\n"
)

// Again is an overlay that is written over an earlier one (rules/overlay: over an
// earlier overlay).
type Again struct {
	// Files are the files to write, Gone the names of files to remove.
	Files []pkgmerge.File
	Gone  []string
	// Kept are the names of files that stay although the overlay has other ones: somebody
	// edited them, or wrote them, since.
	Kept []string
	// Conflicts are the paths of kustomization.yaml that the new overlay and somebody's edit
	// set differently. The edit stays.
	Conflicts []string
}

// Over returns the files of an overlay as they go into a directory that may have an earlier
// one. A file of the earlier overlay is replaced or removed only if it is as that overlay's
// record says; any other file stays. In kustomization.yaml the entries that somebody wrote
// stay. An error says that there is a kustomization.yaml that no record is about.
func Over(ctx context.Context, dir fs.FS, files []pkgmerge.File) (Again, error) {
	was, err := readRecord(dir)
	if err != nil {
		return Again{}, err
	}
	out, next := Again{}, record{hashes: map[string]string{}}
	for _, f := range files {
		next.hashes[f.Name] = hash(f.Data)
		there, err := fs.ReadFile(dir, f.Name)
		switch isThere := !errors.Is(err, fs.ErrNotExist); {
		case isThere && err != nil:
			return Again{}, err
		case f.Name == kustomizationFile:
			next.kustomization = f.Data
			if isThere && !bytes.Equal(there, f.Data) {
				if f.Data, out.Conflicts, err = was.merge(ctx, there, f.Data); err != nil {
					return Again{}, err
				}
			}
		case isThere && !bytes.Equal(there, f.Data) && was.hashes[f.Name] != hash(there):
			out.Kept = append(out.Kept, f.Name)
			if next.hashes[f.Name] = was.hashes[f.Name]; next.hashes[f.Name] == "" {
				delete(next.hashes, f.Name)
			}
			continue
		}
		out.Files = append(out.Files, f)
	}
	for _, name := range slices.Sorted(maps.Keys(was.hashes)) {
		if _, listed := next.hashes[name]; listed || slices.Contains(out.Kept, name) {
			continue
		}
		switch there, err := fs.ReadFile(dir, name); {
		case err != nil:
		case hash(there) == was.hashes[name]:
			out.Gone = append(out.Gone, name)
		default:
			out.Kept = append(out.Kept, name)
		}
	}
	out.Files = append(out.Files, next.file())
	return out, nil
}

// record is the list of an overlay's files, each with its SHA-256, and the text of its
// kustomization.yaml.
type record struct {
	hashes        map[string]string
	kustomization []byte
}

// readRecord reads the record of a directory. A directory without one has an empty record.
func readRecord(dir fs.FS) (record, error) {
	r := record{hashes: map[string]string{}}
	text, err := fs.ReadFile(dir, recordFile)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	head, kustomization, found := strings.Cut(string(text), recordEnd)
	lines, isRecord := strings.CutPrefix(head, recordHead)
	if err != nil || !found || !isRecord {
		return r, errors.Join(err, fmt.Errorf("%s is no list of an overlay's files; remove it, or use a new directory", recordFile))
	}
	for line := range strings.Lines(lines) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(line, "# "), "\n"), "  ")
		if fs.ValidPath(name) && len(sum) == 2*sha256.Size {
			r.hashes[name] = sum
		}
	}
	r.kustomization = []byte(kustomization)
	return r, nil
}

// file is the record as a file: the names with their hashes, then the kustomization.
func (r record) file() pkgmerge.File {
	text := recordHead
	for _, name := range slices.Sorted(maps.Keys(r.hashes)) {
		text += "# " + r.hashes[name] + "  " + name + "\n"
	}
	return pkgmerge.File{Name: recordFile, Mode: 0o644, Data: append([]byte(text+recordEnd), r.kustomization...)}
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// merge merges a new kustomization.yaml into the one that is there, with the recorded one as
// their origin. Somebody's edits win, and the paths at which they collide are named.
func (r record) merge(ctx context.Context, there, made []byte) (text []byte, conflicts []string, err error) {
	if r.kustomization == nil {
		return nil, nil, fmt.Errorf("%s is there, and no earlier overlay wrote it; move its entries into a directory around the overlay, or use a new directory", kustomizationFile)
	}
	var packages [3]pkgmerge.Package
	for side, data := range [3][]byte{identity.Origin: r.kustomization, identity.Upstream: made, identity.Local: there} {
		if packages[side], err = pkgmerge.NewPackage([]pkgmerge.File{{Name: kustomizationFile, Mode: 0o644, Data: data}}); err != nil {
			return nil, nil, err
		}
		if len(packages[side].Resources) != 1 {
			return nil, nil, fmt.Errorf("%s is no YAML of one mapping; mend it, or remove it and %s", kustomizationFile, recordFile)
		}
	}
	result, err := pkgmerge.Merge(ctx, packages, pkgmerge.Options{
		Strategy: pkgmerge.ResourceMerge{}, Policy: pkgmerge.Prefer(merge.PreferLocal), MergeComments: pkgmerge.CommentNever,
	})
	if err != nil {
		return nil, nil, err
	}
	for _, c := range result.Changes {
		for _, conflict := range c.Conflicts {
			conflicts = append(conflicts, conflict.Path.String())
		}
	}
	files, err := result.Files()
	if err != nil {
		return nil, nil, err
	}
	return files[0].Data, conflicts, nil
}
