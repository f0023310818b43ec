package cli

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/command/internal/reportfile"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/version"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// checkOutside returns an error for a directory of -o, "" for none, that is or lies in the directory of a version: the next
// run would read the result as a part of that (rules/commands: output).
func checkOutside(dir, what string, version source.Source) error {
	of, is := version.(source.Dir)
	if !is || dir == "" {
		return nil
	}
	switch below, err := relativePath(string(of), dir); {
	case err != nil:
		return err
	case below == ".":
		return misuse("-o: %s is the directory of %s; name another one", dir, what)
	case filepath.IsLocal(below):
		return misuse("-o: %s lies in the directory of %s, %s, where the next run would read it as a part of that; name one outside", dir, what, string(of))
	}
	return nil
}

// checkOutsideAll is checkOutside for the three versions of a merge.
func checkOutsideAll(dir string, versions [3]source.Source) error {
	for _, side := range identity.Sides() {
		if err := checkOutside(dir, side.String(), versions[side]); err != nil {
			return err
		}
	}
	return nil
}

// checkReports returns an error for a report whose file is a version, or, in the directory of a version, a manifest or a file
// that is there: the report would destroy it, or the next run would read the report as a part of the version (rules/reports:
// where reports go).
func checkReports(reports []reportfile.Output, what, version string) error {
	for _, r := range reports {
		isIn, err := liesIn(r, version)
		switch {
		case err != nil:
			return err
		case r.File != "" && isDirectory(version) != nil && file.IsSame(r.File, version):
			return misuse("--report: %s is the file of %s; name another one", r.File, what)
		case isIn && isManifest(filepath.ToSlash(r.File)):
			return misuse("--report: %s lies in the directory of %s, %s, where the next run would read it as a part of that; name a file outside", r.File, what, version)
		case isIn && isThere(r.File) == nil:
			return misuse("--report: %s is a file in the directory of %s, %s; name another one", r.File, what, version)
		}
	}
	return nil
}

// liesIn reports whether the file of a report lies in a directory.
func liesIn(r reportfile.Output, dir string) (bool, error) {
	if r.File == "" || dir == "" || isDirectory(dir) != nil {
		return false, nil
	}
	below, err := relativePath(dir, r.File)
	return below != "." && filepath.IsLocal(below), err
}

// checkReports returns an error for a report that lies in the DIR of -o, which is to be new or empty.
func (o *output) checkReports(reports []reportfile.Output) error {
	for _, r := range reports {
		if r.File == "" || o.dir == "" || o.force {
			continue
		}
		below, err := relativePath(o.dir, r.File)
		if err != nil {
			return err
		}
		if filepath.IsLocal(below) {
			return misuse("--report: %s lies in the DIR of -o, %s, which is to be new or empty; name a file outside", r.File, o.dir)
		}
	}
	return nil
}

// checkAllReports is checkReports for the three versions of a merge.
func checkAllReports(reports []reportfile.Output, versions [3]string) error {
	for _, side := range identity.Sides() {
		if err := checkReports(reports, side.String(), versions[side]); err != nil {
			return err
		}
	}
	return nil
}

// pathOf returns the path of a version that is a directory or a file, else "".
func pathOf(version source.Source) string {
	switch v := version.(type) {
	case source.Dir:
		return string(v)
	case source.File:
		return string(v)
	}
	return ""
}

// checkWritten returns an error for a version that is local itself, which is to be written over: it is likely mistyped
// (rules/commands: merge).
func (m *mergeRun) checkWritten() error {
	if !m.write {
		return nil
	}
	hints := [2]string{"name the version that you copied, or write the result of an unchanged copy elsewhere with -o", "name the new version"}
	for i, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		if file.IsSame(m.sides[side], m.sides[identity.Local]) {
			return misuse("--write: %s and local are both %s; %s", side, m.sides[identity.Local], hints[i])
		}
	}
	return nil
}

// ownHint returns a warning for an origin that is local itself, and not upstream, too: then local has no changes
// (rules/commands: merge).
func ownHint(sides [3]string) []string {
	local := sides[identity.Local]
	if !file.IsSame(sides[identity.Origin], local) || file.IsSame(sides[identity.Upstream], local) {
		return nil
	}
	return []string{fmt.Sprintf("origin and local are both %s, so your copy counts as unchanged; is --origin the version that you copied?", local)}
}

// likenessHint returns a warning for an origin that is local itself, for an upstream that is local or has the content of origin, and
// for an origin and an upstream that are most likely swapped: local has most of upstream's new lines in its files, and more of them
// than of the lines that upstream lacks. The same holds of a local that was merged before, and no text tells the two apart; the names of the versions may
// (rules/commands: merge).
func likenessHint(packages [3]pkgmerge.Package, sides [3]string) []string {
	if hint := ownHint(sides); hint != nil {
		return hint
	}
	var texts [3]map[string]string
	for side, p := range packages {
		texts[side] = map[string]string{}
		for _, f := range p.Files {
			texts[side][f.Name] = string(f.Data)
		}
	}
	o, u, l := texts[identity.Origin], texts[identity.Upstream], texts[identity.Local]
	switch {
	case len(o) == 0 || len(u) == 0 || len(l) == 0:
		return nil
	case file.IsSame(sides[identity.Upstream], sides[identity.Local]) && !file.IsSame(sides[identity.Origin], sides[identity.Local]):
		return []string{fmt.Sprintf("upstream and local are both %s, so there is nothing to merge; is --local your copy?", sides[identity.Local])}
	case maps.Equal(o, u) && !maps.Equal(o, l):
		return []string{"origin and upstream have the same content, so there is nothing to merge; is --upstream the new version?"}
	case maps.Equal(u, l):
		return nil // local was updated before
	}
	ofOrigin, ofUpstream, news := 0, 0, 0
	for name, text := range l {
		was, is, own := lineSet(o[name]), lineSet(u[name]), lineSet(text)
		for line := range was {
			if own[line] && !is[line] {
				ofOrigin++
			}
		}
		for line := range is {
			if !was[line] {
				news++
				if own[line] {
					ofUpstream++
				}
			}
		}
	}
	if ofUpstream <= ofOrigin || 2*ofUpstream <= news || isOlder(sides[identity.Origin], sides[identity.Upstream]) {
		return nil
	}
	return []string{fmt.Sprintf("your copy has %d of upstream's %s, and %d of the lines that upstream lacks: it was merged before, or --origin and --upstream are swapped", ofUpstream, wording.Plural(news, "new line"), ofOrigin)}
}

// isOlder reports whether the names of two versions, such as up/v1 and up/v2, differ in a version that is older in the first.
func isOlder(a, b string) bool {
	before, after := strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/")
	for i := range min(len(before), len(after)) {
		if order, ok := version.Compare(before[i], after[i]); ok && order != 0 {
			return order < 0
		}
	}
	return false
}

// lineSet returns the lines of a text without the spaces around them, and without empty lines.
func lineSet(text string) map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(text) {
		set[strings.TrimSpace(line)] = true
	}
	delete(set, "")
	return set
}

// strangerHint returns warnings for a version that shares nothing with the other versions: it is likely
// another directory (rules/commands: merge).
func strangerHint(r *pkgmerge.Result, sides [3]string) (warnings []string) {
	var has, shares [3]bool
	note := func(is [3]bool) {
		for side := range is {
			has[side] = has[side] || is[side]
			shares[side] = shares[side] || is[side] && (is[(side+1)%3] || is[(side+2)%3])
		}
	}
	for _, c := range r.Changes {
		note([3]bool{c.Versions[0] != nil, c.Versions[1] != nil, c.Versions[2] != nil})
	}
	for _, c := range r.FileChanges {
		note([3]bool{c.Versions[0] != nil, c.Versions[1] != nil, c.Versions[2] != nil})
	}
	for _, version := range [3]struct {
		side                       identity.Side
		others, consequence, meant string
	}{
		{identity.Origin, "upstream or local", "so every difference between these is a change of both", "the version that you copied"},
		{identity.Upstream, "origin or local", "so everything in origin counts as deleted", "its new version"},
		{identity.Local, "origin or upstream", "so everything in origin counts as deleted", "your copy"},
	} {
		side, what := version.side, "is empty"
		if has[side] {
			what = "shares no resource and no other file with " + version.others
		}
		if has[identity.Origin] && !shares[side] && (side != identity.Origin || shares[identity.Upstream]) {
			warnings = append(warnings, fmt.Sprintf("%s (%s) %s, %s; is --%[1]s %[5]s?", side, sides[side], what, version.consequence, version.meant))
		}
	}
	return warnings
}

// checkStdout returns an error if stdout goes to a manifest of a version: the shell has emptied that before it was read.
func (m *mergeRun) checkStdout(packages [3]pkgmerge.Package, s streams) error {
	if info, err := s.out.Stat(); err != nil || !info.Mode().IsRegular() || !m.usesStdout() {
		return err
	}
	for side, p := range packages {
		names := []string{m.sides[side]}
		for _, f := range p.Files {
			names = append(names, filepath.Join(m.sides[side], filepath.FromSlash(f.Name)))
		}
		for _, name := range names {
			if isManifest(filepath.ToSlash(name)) && isStdout(name, s) {
				return misuse("stdout goes to %s, a file of %s, which the shell has emptied; restore it, and give --write or -o", name, identity.Side(side))
			}
		}
	}
	return nil
}

// isStdout reports whether stdout goes to a file.
func isStdout(name string, s streams) bool {
	out, err := s.out.Stat()
	if err != nil {
		return false
	}
	info, err := os.Stat(name)
	return err == nil && os.SameFile(info, out)
}

// checkMarkers returns an error that names the first file with conflict markers of an earlier merge, whole ones or a
// line that is left of one (rules/commands: markers of an earlier merge). A file that is not a manifest may show markers
// as an example, as documentation of git does: there they count if the versions differ in them.
func checkMarkers(packages [3]pkgmerge.Package) error {
	found := [3]map[string][]int{}
	for side, p := range packages {
		lines := make([][]int, len(p.Files))
		err := parallel.Each(len(lines), func(i int) error {
			lines[i] = markerLines(p.Files[i])
			return nil
		})
		if err != nil {
			return err
		}
		found[side] = map[string][]int{}
		for i, f := range p.Files {
			if lines[i] != nil {
				found[side][f.Name] = lines[i]
			}
		}
	}
	for _, side := range [3]identity.Side{identity.Local, identity.Upstream, identity.Origin} {
		for _, f := range packages[side].Files {
			n := len(found[side][f.Name])
			differ := len(found[identity.Origin][f.Name]) != n || len(found[identity.Upstream][f.Name]) != n || len(found[identity.Local][f.Name]) != n
			if n > 0 && (differ || isManifest(f.Name)) {
				return fmt.Errorf("%s: %s:%d: the file has conflict markers of an earlier merge; settle and commit them first", side, f.Name, found[side][f.Name][0])
			}
		}
	}
	return nil
}

func isManifest(name string) bool {
	switch path.Ext(name) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// markerLines returns the numbers of the lines in which a file has a conflict marker. No line of a manifest can look
// like one; in another file "=======" alone may be the line below a heading.
func markerLines(f pkgmerge.File) (out []int) {
	conflicts, broken := marker.Read(f.Data, 0)
	for _, c := range conflicts {
		out = append(out, c.Line)
	}
	if broken > 0 {
		out = append(out, broken)
	}
	if len(out) == 0 && isManifest(f.Name) && (marker.Format{}).HasMarker(f.Data) {
		out = append(out, slices.IndexFunc(slices.Collect(bytes.Lines(f.Data)), func(line []byte) bool { return (marker.Format{}).HasMarker(line) })+1)
	}
	slices.Sort(out)
	return out
}
