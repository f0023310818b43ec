package cli

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
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

const (
	kustomizationFile = "kustomization.yaml"
	// recordFile lists the files of an overlay as they were written. Neither kustomize nor kpt
	// reads a file of this name.
	recordFile = ".resource-merge-overlay"
	recordHead = "# resource-merge overlay wrote these files, and replaces only those that are unchanged.\n"
	recordEnd  = "---\n"
)

// overlayUpdate is an overlay to write over an earlier one (rules/overlay: over an earlier overlay).
type overlayUpdate struct {
	files   []pkgmerge.File // to write
	removed []string        // names of files to remove
	// kept are the names of files that stay, because somebody edited or wrote them since, although
	// the overlay has other content for them.
	kept []string
	// conflicts are the paths of kustomization.yaml where the new overlay and somebody's edit differ. The edit stays.
	conflicts []string
}

// planUpdate plans how to write the files of an overlay into dir, which may hold an earlier one. It replaces or removes
// a file only if the file still has the hash in the earlier overlay's record; any other file stays. In
// kustomization.yaml, entries that somebody wrote stay; a kustomization.yaml without a record is an error.
func planUpdate(ctx context.Context, dir fs.FS, files []pkgmerge.File) (overlayUpdate, error) {
	earlier, err := readOverlayRecord(dir)
	if err != nil {
		return overlayUpdate{}, err
	}
	p := updatePlanner{dir: dir, earlier: earlier, next: overlayRecord{hashes: map[string]string{}}}
	for _, f := range files {
		if err := p.add(ctx, f); err != nil {
			return overlayUpdate{}, err
		}
	}
	p.removeEarlier()
	p.out.files = append(p.out.files, p.next.file())
	return p.out, nil
}

// updatePlanner plans an update of an overlay in a directory, and makes its next record.
type updatePlanner struct {
	dir           fs.FS
	earlier, next overlayRecord
	out           overlayUpdate
}

// add plans how to write a file.
func (p *updatePlanner) add(ctx context.Context, f pkgmerge.File) error {
	p.next.hashes[f.Name] = contentHash(f.Data)
	existing, err := file.ReadRegularIn(p.dir, f.Name)
	switch exists := !errors.Is(err, fs.ErrNotExist); {
	case exists && err != nil:
		return err
	case f.Name == kustomizationFile:
		p.next.kustomization = f.Data
		if exists && !bytes.Equal(existing, f.Data) {
			if f.Data, p.out.conflicts, err = p.earlier.merge(ctx, existing, f.Data); err != nil {
				return err
			}
		}
	case exists && !bytes.Equal(existing, f.Data) && p.earlier.hashes[f.Name] != contentHash(existing):
		p.out.kept = append(p.out.kept, f.Name)
		if p.next.hashes[f.Name] = p.earlier.hashes[f.Name]; p.next.hashes[f.Name] == "" {
			delete(p.next.hashes, f.Name)
		}
		return nil
	}
	p.out.files = append(p.out.files, f)
	return nil
}

// removeEarlier plans to remove the files of the earlier overlay that the new one lacks, unless somebody edited them.
func (p *updatePlanner) removeEarlier() {
	for _, name := range slices.Sorted(maps.Keys(p.earlier.hashes)) {
		if _, listed := p.next.hashes[name]; listed || slices.Contains(p.out.kept, name) {
			continue
		}
		switch existing, err := file.ReadRegularIn(p.dir, name); {
		case err != nil:
		case contentHash(existing) == p.earlier.hashes[name]:
			p.out.removed = append(p.out.removed, name)
		default:
			p.out.kept = append(p.out.kept, name)
		}
	}
}

// overlayRecord holds the SHA-256 of each file of an overlay, and the text of its kustomization.yaml.
type overlayRecord struct {
	hashes        map[string]string
	kustomization []byte
}

// readOverlayRecord reads the record of a directory. A directory without one has an empty record.
func readOverlayRecord(dir fs.FS) (overlayRecord, error) {
	r := overlayRecord{hashes: map[string]string{}}
	text, err := file.ReadRegularIn(dir, recordFile)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	head, kustomization, found := strings.Cut(string(text), recordEnd)
	lines, isRecord := strings.CutPrefix(head, recordHead)
	if err != nil || !found || !isRecord {
		return r, errors.Join(err, fmt.Errorf("%s is not a list of an overlay's files; remove it, or use a new directory", recordFile))
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

// file encodes the record as a file: the hashes with their names, then the kustomization.
func (r overlayRecord) file() pkgmerge.File {
	text := recordHead
	for _, name := range slices.Sorted(maps.Keys(r.hashes)) {
		text += "# " + r.hashes[name] + "  " + name + "\n"
	}
	return pkgmerge.File{Name: recordFile, Mode: 0o644, Data: append([]byte(text+recordEnd), r.kustomization...)}
}

func contentHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// merge merges a generated kustomization.yaml into the existing one, with the recorded one as
// origin. The existing values win, and conflicts has the paths where both differ.
func (r overlayRecord) merge(ctx context.Context, existing, generated []byte) (text []byte, conflicts []string, err error) {
	if r.kustomization == nil {
		return nil, nil, fmt.Errorf("%s is there, and no earlier overlay wrote it; move its entries into a directory around the overlay, or use a new directory", kustomizationFile)
	}
	packages, err := r.versions(existing, generated)
	if err != nil {
		return nil, nil, err
	}
	result, err := pkgmerge.Merge(ctx, packages, pkgmerge.Options{
		Strategy: pkgmerge.ResourceMerge{}, Policy: pkgmerge.Prefer(merge.PreferLocal), MergeComments: pkgmerge.CommentNever,
	})
	if err != nil {
		return nil, nil, err
	}
	files, err := result.Files()
	if err != nil {
		return nil, nil, err
	}
	return files[0].Data, conflictPaths(result), nil
}

// conflictPaths returns the paths of all conflicts of a merge.
func conflictPaths(result *pkgmerge.Result) (paths []string) {
	for _, c := range result.Changes {
		for _, conflict := range c.Conflicts {
			paths = append(paths, conflict.Path.String())
		}
	}
	return paths
}

// versions returns the recorded, the generated and the existing kustomization.yaml as packages.
func (r overlayRecord) versions(existing, generated []byte) (packages [3]pkgmerge.Package, err error) {
	for side, data := range [3][]byte{identity.Origin: r.kustomization, identity.Upstream: generated, identity.Local: existing} {
		if packages[side], err = pkgmerge.NewPackage([]pkgmerge.File{{Name: kustomizationFile, Mode: 0o644, Data: data}}); err != nil {
			return packages, err
		}
		if len(packages[side].Resources) != 1 {
			return packages, fmt.Errorf("%s is not YAML with one mapping; fix it, or remove it and %s", kustomizationFile, recordFile)
		}
	}
	return packages, nil
}
