package update

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/version"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// Nearest finds the version of upstream that is nearest to the copy. The fields and files of the copy differ least from it; of
// several such versions the copy leaves out the fewest files and resources of the nearest, and of several of these it is the newest.
// Of more than maxMeasured versions, the ones with the nearest lines are compared field by field.
// A version that cannot be read is left out, and a nearest one from which more differs than agrees is an error. all counts the versions.
func (t *Tracked) Nearest(ctx context.Context, o pkgmerge.Options, progress func(done, total int)) (nearest Distance, all int, err error) {
	names, err := source.Versions(ctx, t.below(t.Source), config.VersionMark)
	if err != nil {
		return nearest, 0, err
	}
	if len(names) == 0 {
		return nearest, 0, t.noVersions()
	}
	names = version.Sorted(names)
	if err := t.prefetch(ctx, names); ctx.Err() != nil {
		return nearest, 0, err
	}
	nearest, err = t.nearestOf(ctx, names, o, progress)
	switch {
	case nearest.Version.Name != "":
		return nearest, len(names), cmp.Or(nearest.check(t.Dir), t.checkVariant(nearest))
	case err == nil:
		err = fmt.Errorf("none of the %s of %s has a resource or file of %s; name the version", wording.Plural(len(names), "version"), gitrepo.Redact(t.below(t.Source)), t.Dir)
	}
	return nearest, 0, err
}

// maxMeasured is the number of versions up to which a copy is compared with each field by field. Of more versions those with the
// nearest lines are, with all that are as near as the last of them.
const maxMeasured = 8

// nearestOf returns the nearest of the versions, from the last one on until one has no difference. Versions with the same files are
// compared once. Without one it returns the first error.
func (t *Tracked) nearestOf(ctx context.Context, names []string, o pkgmerge.Options, progress func(done, total int)) (nearest Distance, first error) {
	chosen, first := t.nearLines(ctx, names, progress)
	for _, name := range chosen {
		v, err := t.Read(ctx, name)
		var d Distance
		if err == nil {
			d, err = t.measure(ctx, v, o)
		}
		if ctx.Err() != nil {
			return Distance{}, ctx.Err()
		}
		if err != nil {
			first = cmp.Or(first, err)
			continue
		}
		if d.Common > 0 && (nearest.Version.Name == "" || d.isNearer(nearest)) {
			nearest = d
		}
		if d.Common > 0 && d.Fields+d.Files+d.LeftOut == 0 {
			break
		}
	}
	return nearest, first
}

// nearLines returns the versions whose lines are the nearest to those of the copy, the last one first: they lack the fewest lines of the
// copy, and have the fewest others in files that both have. Of versions with the same files it returns the last one alone. The error is that of the first version that cannot be read.
func (t *Tracked) nearLines(ctx context.Context, names []string, progress func(done, total int)) (chosen []string, first error) {
	local, err := source.Dir(t.Dir).Read(ctx)
	if err != nil {
		return nil, err
	}
	copied := linesOf(local.Files)
	known := map[string]bool{} // the digests of the versions that were read
	var distances []int
	for i, name := range slices.Backward(names) {
		progress(len(names)-i, len(names))
		v, err := t.Read(ctx, name)
		var p pkgmerge.Package
		if err == nil && !known[v.Digest] {
			p, err = v.Source.Read(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			first = cmp.Or(first, err)
		case !known[v.Digest]:
			known[v.Digest] = true
			both := slices.DeleteFunc(slices.Clone(p.Files), func(f pkgmerge.File) bool {
				return !slices.ContainsFunc(local.Files, func(own pkgmerge.File) bool { return own.Name == f.Name })
			})
			distance := missing(copied, linesOf(p.Files)) + missing(linesOf(both), copied)
			chosen, distances = append(chosen, name), append(distances, distance)
		}
	}
	if len(chosen) <= maxMeasured {
		return chosen, first
	}
	last := slices.Sorted(slices.Values(distances))[maxMeasured-1]
	var near []string
	for i, name := range chosen {
		if distances[i] <= last {
			near = append(near, name)
		}
	}
	return near, first
}

// missing counts the lines that others lack.
func missing(lines, others map[string]int) (count int) {
	for line, n := range lines {
		count += max(n-others[line], 0)
	}
	return count
}

// linesOf counts the lines of files, without indentation and marks of list elements.
func linesOf(files []pkgmerge.File) map[string]int {
	lines := map[string]int{}
	for _, f := range files {
		for line := range bytes.Lines(f.Data) {
			if line = bytes.TrimSpace(bytes.TrimLeft(line, " -")); len(line) > 0 {
				lines[string(line)]++
			}
		}
	}
	return lines
}
