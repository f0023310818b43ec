package values_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// clone is a git repository, whose blobs are read by one process.
type clone struct {
	name, dir string
	in        io.Writer
	out       *bufio.Reader
}

// clones returns the repositories below a directory, bare ones and others.
func clones(t *testing.T, dir string) (found []*clone) {
	for _, pattern := range []string{"*", "*/*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			at := name
			if _, err := os.Stat(filepath.Join(name, ".git")); err == nil {
				at = filepath.Join(name, ".git")
			}
			if _, err := os.Stat(filepath.Join(at, "objects")); err != nil || filepath.Base(name) == ".git" {
				continue
			}
			relative, _ := filepath.Rel(dir, name)
			found = append(found, open(t, strings.TrimSuffix(relative, "/repo"), at))
		}
	}
	return found
}

func open(t *testing.T, name, dir string) *clone {
	command := exec.CommandContext(t.Context(), "git", "--git-dir", dir, "cat-file", "--batch")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); command.Wait() })
	return &clone{name, dir, in, bufio.NewReader(out)}
}

// blob returns a blob by its hash or by COMMIT:PATH, nil if there is none.
func (c *clone) blob(name string) []byte {
	fmt.Fprintln(c.in, name)
	var hash, kind string
	size := 0
	line, err := c.out.ReadString('\n')
	if _, scan := fmt.Sscan(line, &hash, &kind, &size); err != nil || scan != nil {
		return nil
	}
	data := make([]byte, size)
	io.ReadFull(c.out, data)
	c.out.Discard(1)
	return data
}

// change is a file as a commit has made it.
type change struct {
	commit, path string
	// before and after are hashes of blobs, of zeros where there is no file.
	before, after string
}

// changes returns the changes of files along the first parents, the oldest first.
func (c *clone) changes(patterns ...string) (found []change) {
	args := append([]string{"--git-dir", c.dir, "log", "--first-parent", "-m", "--reverse", "--no-renames", "--raw", "--no-abbrev", "--format=@%H", "--"}, patterns...)
	out, err := exec.Command("git", args...).Output()
	if err != nil {
		return nil
	}
	commit := ""
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "@") {
			commit = line[1:]
			continue
		}
		if about, name, is := strings.Cut(line, "\t"); is {
			fields := strings.Fields(about) // modes, hashes, status
			found = append(found, change{commit, name, fields[2], fields[3]})
		}
	}
	return found
}

// tree returns the files of a directory at a commit.
func (c *clone) tree(commit, dir string) (files []pkgmerge.File) {
	out, err := exec.Command("git", "--git-dir", c.dir, "archive", commit+":"+strings.TrimSuffix(dir, "/")).Output()
	if err != nil {
		return nil
	}
	archive := tar.NewReader(bytes.NewReader(out))
	for {
		header, err := archive.Next()
		if err != nil {
			return files
		}
		if data, err := io.ReadAll(archive); err == nil && header.Typeflag == tar.TypeReg {
			files = append(files, pkgmerge.File{Name: header.Name, Mode: 0o644, Data: data})
		}
	}
}

// published is a version of a chart in the history of a clone.
type published struct {
	in          *clone
	commit, dir string
}

// chartIndex has the versions of charts in clones, by the charts' names and their versions.
type chartIndex map[string]map[string][]published

// add adds the versions of the charts of a clone, each as the first commit with it has it.
func (l chartIndex) add(c *clone) {
	for _, changed := range c.changes("Chart.yaml", "*/Chart.yaml") {
		var about chartFile
		if strings.Contains(changed.path, "/charts/charts/") || yaml.Unmarshal(c.blob(changed.after), &about) != nil || about.Name == "" || about.Version == "" {
			continue
		}
		if l[about.Name] == nil {
			l[about.Name] = map[string][]published{}
		}
		dir := path.Dir(changed.path)
		isKnown := slices.ContainsFunc(l[about.Name][about.Version], func(p published) bool { return p.in == c })
		if !isKnown {
			l[about.Name][about.Version] = append(l[about.Name][about.Version], published{c, changed.commit, dir})
		}
	}
}

// chartFile is a Chart.yaml, a requirements.yaml, or a file of locks.
type chartFile struct {
	Name, Version string
	Dependencies  []struct{ Name, Alias, Version, Repository string }
}

// find returns a version of a chart, with a v in front of the version or not. One in a clone is preferred.
func (l chartIndex) find(name, version string, in *clone) (published, bool) {
	var all []published
	for _, v := range []string{version, "v" + version, strings.TrimPrefix(version, "v")} {
		all = append(all, l[name][v]...)
	}
	for _, p := range all {
		if p.in == in {
			return p, true
		}
	}
	if len(all) == 0 {
		return published{}, false
	}
	return all[0], true
}

// newest returns the newest version of a chart in a range.
func (l chartIndex) newest(name, within string) string {
	constraint, err := semver.NewConstraint(within)
	if err != nil {
		return ""
	}
	var found []*semver.Version
	for version := range l[name] {
		if v, err := semver.NewVersion(version); err == nil && constraint.Check(v) {
			found = append(found, v)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return slices.MaxFunc(found, (*semver.Version).Compare).Original()
}

// files returns the files of a version with its dependencies in charts/, and the names of those that no clone has.
func (l chartIndex) files(p published, depth int) (files []pkgmerge.File, missing []string) {
	files = p.in.tree(p.commit, p.dir)
	if depth == 0 {
		return files, nil
	}
	var about, locked chartFile
	vendored := map[string]bool{}
	for _, f := range files {
		switch rest, isBelow := strings.CutPrefix(f.Name, "charts/"); {
		case f.Name == "Chart.yaml", f.Name == "requirements.yaml":
			yaml.Unmarshal(f.Data, &about)
		case f.Name == "Chart.lock", f.Name == "requirements.lock":
			yaml.Unmarshal(f.Data, &locked)
		case isBelow && path.Ext(rest) == ".tgz":
			vendored[strings.TrimRight(strings.TrimSuffix(rest, ".tgz"), "0123456789.v-")] = true
		case isBelow:
			dir, _, _ := strings.Cut(rest, "/")
			vendored[dir] = true
		}
	}
	for _, d := range about.Dependencies {
		if vendored[d.Name] {
			continue
		}
		vendored[d.Name] = true
		below, found := published{p.in, p.commit, path.Join(p.dir, strings.TrimPrefix(d.Repository, "file://"))}, strings.HasPrefix(d.Repository, "file://")
		if !found {
			version := d.Version
			for _, lock := range locked.Dependencies {
				if lock.Name == d.Name {
					version = lock.Version
				}
			}
			if below, found = l.find(d.Name, version, p.in); !found {
				below, found = l.find(d.Name, l.newest(d.Name, version), p.in)
			}
		}
		if !found {
			missing = append(missing, d.Name)
			continue
		}
		more, without := l.files(below, depth-1)
		missing = append(missing, without...)
		for _, f := range more {
			f.Name = "charts/" + d.Name + "/" + f.Name
			files = append(files, f)
		}
	}
	return files, missing
}

// compareVersions compares versions as semver does, and others as texts.
func compareVersions(a, b string) int {
	x, errX := semver.NewVersion(a)
	y, errY := semver.NewVersion(b)
	if errX != nil || errY != nil {
		return cmp.Compare(a, b)
	}
	return x.Compare(y)
}
