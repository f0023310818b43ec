package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha1"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/tests/history"
)

// tree is the YAML files of a directory at a commit: blobs by name.
type tree map[string]string

// finder finds the upgrades of a copy: the commits where the upstream version nearest to it changes.
type finder struct {
	fork, upstream *history.History
	// texts are the files of archives, lines the lines of blobs, and shared the number of lines
	// that two blobs share.
	texts  map[string][]byte
	lines  map[string]map[string]int
	shared map[[2]string]int
}

// upgrade is a commit of a fork that brought its copy from one upstream version to a newer one.
type upgrade struct {
	commit string
	files  []history.File
	// from and to are the upstream versions of a copy.
	from, to string
}

// upgrades returns the upgrades of a copy, the oldest first. A commit is one if a newer upstream
// version is nearest to it than to its parent, and if it moved towards that one and away
// from the older one.
func (d *finder) upgrades(ctx context.Context, f fork) (out []upgrade, err error) {
	versions, err := d.versions(ctx, f.upstreamDir)
	if err != nil {
		return nil, err
	}
	commits, err := trees(ctx, d.fork, f.dir)
	if err != nil {
		return nil, err
	}
	last := -1
	var before tree
	for _, c := range commits {
		near, err := d.nearest(c.files, versions, last)
		if err != nil {
			return nil, err
		}
		if last >= 0 && near > last {
			moved, err := d.moved(before, c.files, versions[last].files, versions[near].files)
			if err != nil {
				return nil, err
			}
			if files := both(versions[last].files, versions[near].files, before, c, f.dir); moved && len(files) > 0 {
				out = append(out, upgrade{c.commit, files, versions[last].commit, versions[near].commit})
			}
		}
		last, before = near, c.files
	}
	return out, nil
}

// moved reports whether a copy came nearer to the version to, and went away from the version from.
func (d *finder) moved(before, after, from, to tree) (bool, error) {
	var n [4]int
	for i, pair := range [][2]tree{{before, from}, {after, from}, {before, to}, {after, to}} {
		var err error
		if n[i], err = d.nearness(pair[0], pair[1]); err != nil {
			return false, err
		}
	}
	return n[1]-n[0] < n[3]-n[2] && n[3] > n[1] && n[0] >= n[2], nil
}

// both returns the files that upstream and local changed since origin and that the upgrade has.
func both(origin, upstream, local tree, c dirAt, dir string) (out []history.File) {
	for name, o := range origin {
		u, l, p := upstream[name], local[name], c.files[name]
		if u != "" && l != "" && p != "" && u != o && l != o && u != l {
			out = append(out, history.File{Merge: history.Merge{Commit: c.commit}, Path: path.Join(dir, name), Base: o, Ours: l, Theirs: u, Merged: p})
		}
	}
	slices.SortFunc(out, func(a, b history.File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// nearest returns the index of the version nearest to a copy, -1 if none is near. Of equally near ones it prefers last, then the oldest.
func (d *finder) nearest(files tree, versions []dirAt, last int) (int, error) {
	best, most := -1, 0
	for i, v := range versions {
		n, err := d.nearness(files, v.files)
		if err != nil {
			return 0, err
		}
		if n > most || n == most && i == last {
			best, most = i, n
		}
	}
	return best, nil
}

// nearness is twice the number of lines that a copy shares with a version, less the version's lines.
func (d *finder) nearness(files, version tree) (sum int, err error) {
	for name, a := range files {
		b := version[name]
		if b == "" {
			continue
		}
		n, err := d.common(a, b)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func (d *finder) common(a, b string) (int, error) {
	key := [2]string{a, b}
	if n, known := d.shared[key]; known {
		return n, nil
	}
	x, err := d.linesOf(a)
	if err != nil {
		return 0, err
	}
	y, err := d.linesOf(b)
	if err != nil {
		return 0, err
	}
	n := 0
	for line, times := range y {
		n += 2*min(times, x[line]) - times
	}
	d.shared[key] = n
	return n, nil
}

func (d *finder) linesOf(blob string) (map[string]int, error) {
	if lines := d.lines[blob]; lines != nil {
		return lines, nil
	}
	text, err := d.blob(blob)
	if err != nil {
		return nil, err
	}
	lines := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines[line]++
		}
	}
	d.lines[blob] = lines
	return lines, nil
}

// blob reads a blob of an archive, of the fork or of its upstream.
func (d *finder) blob(id string) ([]byte, error) {
	if text, known := d.texts[id]; known || id == "" {
		return text, nil
	}
	text, err := d.fork.Blob(id)
	if err != nil && d.upstream != nil {
		return d.upstream.Blob(id)
	}
	return text, err
}

// dirAt is a directory at a commit, or in an archive.
type dirAt struct {
	commit string
	files  tree
}

// trees returns a directory at each commit of the first parents that changed it, the oldest first.
func trees(ctx context.Context, h *history.History, dir string) (out []dirAt, err error) {
	log, err := h.Git(ctx, "log", "--first-parent", "--reverse", "--format=%H", "HEAD", "--", dir)
	if err != nil {
		return nil, err
	}
	for _, commit := range strings.Fields(log) {
		text, err := h.Git(ctx, "ls-tree", "-r", "-z", commit+":"+strings.TrimSuffix(dir, "/"))
		if err != nil {
			continue // the commit removed the directory
		}
		files := tree{}
		for entry := range strings.SplitSeq(text, "\x00") {
			about, name, _ := strings.Cut(entry, "\t")
			if f := strings.Fields(about); len(f) == 3 && f[1] == "blob" && f[0] != "120000" && history.IsYAML(name) {
				files[name] = f[2]
			}
		}
		out = append(out, dirAt{commit, files})
	}
	return out, nil
}

// preRelease is a name of an archive that is no release.
var preRelease = regexp.MustCompile(`-(rc|pre|alpha|beta|snapshot|dev)`)

// versions returns the versions of an upstream directory; a pattern such as shop-*.tgz has one in
// each archive that fits it, in the order of their numbers.
func (d *finder) versions(ctx context.Context, dir string) (out []dirAt, err error) {
	if !strings.HasSuffix(dir, ".tgz") {
		return trees(ctx, d.upstream, dir)
	}
	listing, err := d.upstream.Git(ctx, "ls-tree", "-r", "-z", "HEAD")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(listing, "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		if fits, _ := path.Match(dir, name); !fits || preRelease.MatchString(name) {
			continue
		}
		text, err := d.upstream.Blob(strings.Fields(about)[2])
		if err != nil {
			return nil, err
		}
		files, err := d.unpack(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, dirAt{name, files})
	}
	slices.SortFunc(out, func(a, b dirAt) int { return byNumbers(a.commit, b.commit) })
	return out, nil
}

// byNumbers compares names of archives with the numbers in them as numbers.
func byNumbers(a, b string) int {
	numbers := func(s string) []int {
		var out []int
		for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
			n := 0
			fmt.Sscan(part, &n)
			out = append(out, n)
		}
		return out
	}
	return slices.Compare(numbers(a), numbers(b))
}

// unpack reads the YAML files of a chart's archive, without its top directory.
func (d *finder) unpack(archive []byte) (tree, error) {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	files := tree{}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		_, name, below := strings.Cut(h.Name, "/")
		if !below || h.Typeflag != tar.TypeReg || !history.IsYAML(name) {
			continue
		}
		text, err := io.ReadAll(t)
		if err != nil {
			return nil, err
		}
		id := fmt.Sprintf("%x", sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(text)), text...)))
		files[name], d.texts[id] = id, text
	}
}
