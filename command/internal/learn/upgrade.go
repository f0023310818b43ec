// Package learn learns rules for conflicts from the decisions in a package's git history (rules/learn).
package learn

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/update"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// Upgrade is a commit that brought a package from one version of upstream to another.
type Upgrade struct {
	Commit string
	// origin and upstream are the versions, and names their names.
	origin, upstream source.Source
	names            [2]string
}

// String names the upgrade in messages.
func (u Upgrade) String() string {
	return fmt.Sprintf("%s (%s -> %s)", short(u.Commit), u.names[0], u.names[1])
}

// short returns the first digits of a commit, as git log --oneline shows them.
func short(commit string) string { return commit[:min(len(commit), 7)] }

// history is the git history of a package.
type history struct {
	dir     string
	work    *gitrepo.WorkTree
	objects *gitrepo.Objects
}

// upgrades finds the upgrades of the package, the oldest first: the commits that changed its version of upstream. A
// merge of branches is none.
func (h history) upgrades(ctx context.Context) (out []Upgrade, err error) {
	names := []string{path.Join(h.work.Name, "Kptfile"), path.Join(h.work.Name, file.Config)}
	for _, dir := range h.above() {
		names = append(names, path.Join(dir, vendirLock))
	}
	commits, err := h.work.History(ctx, names...)
	if err != nil {
		return nil, err
	}
	for _, commit := range commits {
		var versions [2][]version
		for i, revision := range [2]string{commit + "^1", commit} {
			if versions[i], err = h.versions(revision); err != nil {
				return nil, err
			}
		}
		if u, found := upgradeBetween(versions); found {
			u.Commit = commit
			out = append(out, u)
		}
	}
	return out, nil
}

// upgradeBetween returns the upgrade from the version before a commit to the version of the commit.
func upgradeBetween(versions [2][]version) (u Upgrade, found bool) {
	var from, to []version
	for _, after := range versions[1] {
		at := slices.IndexFunc(versions[0], func(before version) bool { return before.where == after.where })
		if at >= 0 && versions[0][at].id != after.id {
			from, to = append(from, versions[0][at]), append(to, after)
		}
	}
	if len(to) == 0 {
		return u, false
	}
	u.origin, u.names[0] = together(from), from[0].name
	u.upstream, u.names[1] = together(to), to[0].name
	return u, true
}

// version is the version of upstream that a file of the package records.
type version struct {
	source.Source
	// where is the file, and the place in it; id tells versions of one place apart, and name is for people.
	where, id, name string
}

// versions returns the versions that the files of the package record at a revision. The first file that records one
// counts.
func (h history) versions(revision string) ([]version, error) {
	for _, read := range [...]func(string) ([]version, error){h.locked, h.tracked, h.vendored} {
		if found, err := read(revision); err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

// locked returns the version in the Kptfile.
func (h history) locked(revision string) ([]version, error) {
	text, err := h.text(revision, path.Join(h.work.Name, "Kptfile"))
	if err != nil {
		return nil, err
	}
	at, _, found := update.Lock(text)
	if !found {
		return nil, nil
	}
	return []version{{Source: remote(at), where: "Kptfile", id: at.String(), name: short(at.Ref)}}, nil
}

// tracked returns the version in the config.
func (h history) tracked(revision string) ([]version, error) {
	text, err := h.text(revision, path.Join(h.work.Name, file.Config))
	if err != nil {
		return nil, err
	}
	up, err := config.ReadUpstream(text)
	if err != nil || up == nil {
		return nil, nil // a former text need not be right
	}
	from := tracked{Tracked: &update.Tracked{Dir: h.dir, Upstream: *up}}
	return []version{{Source: from, where: file.Config, id: up.Source + " " + up.Version, name: up.Version}}, nil
}

// text returns the text of a file below the top of the work tree at a revision, nil if there is none: the first commit
// has no revision before it, and a file may be missing.
func (h history) text(revision, name string) ([]byte, error) {
	found, err := h.objects.Read(revision + ":" + name)
	if err != nil || found.Kind != "blob" {
		return nil, err
	}
	return found.Data, nil
}

// above returns the directories of the repository that contain the package, and its own, the innermost first.
func (h history) above() (dirs []string) {
	for dir := h.work.Name; ; dir = path.Dir(dir) {
		if dir == "." || dir == "" {
			return append(dirs, "")
		}
		dirs = append(dirs, dir)
	}
}

// remote is a directory of a remote repository at a commit.
type remote gitrepo.Remote

// Read fetches the directory, unless the cache has it.
func (r remote) Read(ctx context.Context) (pkgmerge.Package, error) {
	v, err := gitrepo.Git{}.Fetch(ctx, gitrepo.Remote(r))
	if err != nil {
		return pkgmerge.Package{}, err
	}
	files, err := file.WithoutIgnored(v.Files, v.Files)
	if err != nil {
		return pkgmerge.Package{}, err
	}
	return pkgmerge.NewPackage(file.As[pkgmerge.File](files))
}

// tracked is the version of a copy whose config names its upstream.
type tracked struct{ *update.Tracked }

// Read reads the version.
func (t tracked) Read(ctx context.Context) (p pkgmerge.Package, err error) {
	if t.Command != nil {
		return p, fmt.Errorf("version %s was rendered by a command, and learning runs none; render the versions, and list them in a file for --upgrades", t.Version)
	}
	v, err := t.Tracked.Read(ctx, t.Version)
	if err != nil {
		return p, err
	}
	return v.Source.Read(ctx)
}

// listed reads the upgrades that the text of a file lists, in the order of the repository's history. Each line has a
// commit, its origin and its upstream.
func (h history) listed(ctx context.Context, name string, text []byte) (out []Upgrade, err error) {
	out, lines, err := h.parseList(ctx, name, text)
	if err != nil {
		return nil, err
	}
	commits, err := h.work.History(ctx)
	at := make(map[string]int, len(commits))
	for i, commit := range commits {
		at[commit] = i
	}
	for _, u := range out {
		if _, found := at[u.Commit]; !found && err == nil {
			err = fmt.Errorf("%s:%d: commit %s is not in the history of the checked-out one", name, lines[u.Commit], short(u.Commit))
		}
	}
	slices.SortStableFunc(out, func(a, b Upgrade) int { return at[a.Commit] - at[b.Commit] })
	return out, err
}

// parseList reads the upgrades that the text of a file lists, and the numbers of their lines by their commits.
func (h history) parseList(ctx context.Context, name string, text []byte) (out []Upgrade, lines map[string]int, err error) {
	lines = map[string]int{}
	for i, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		u, err := h.listedIn(ctx, words)
		if first := lines[u.Commit]; err == nil && first > 0 {
			err = fmt.Errorf("commit %s is in line %d, too", words[0], first)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		lines[u.Commit] = i + 1
		out = append(out, u)
	}
	return out, lines, nil
}

// listedIn returns the upgrade in the words of a line.
func (h history) listedIn(ctx context.Context, words []string) (u Upgrade, err error) {
	if len(words) != 3 {
		return u, fmt.Errorf("want a commit, its origin and its upstream, separated by spaces; found %s", wording.Plural(len(words), "word"))
	}
	if words[1] == "-" || words[2] == "-" {
		return u, errors.New("a version cannot be read from stdin")
	}
	if u.Commit, err = h.work.Resolve(ctx, words[0]); err != nil {
		return u, err
	}
	u.names = [2]string{shownSource(words[1]), shownSource(words[2])}
	u.origin, u.upstream = named(words[1]), named(words[2])
	return u, nil
}

// shownSource returns the end of the name of a source, without secrets.
func shownSource(text string) string { return path.Base(gitrepo.Redact(text)) }

// named is a source that is parsed when it is read, so that one that is missing costs its upgrade alone.
type named string

// Read reads the source.
func (n named) Read(ctx context.Context) (p pkgmerge.Package, err error) {
	from, err := source.Parse(string(n), nil)
	if err != nil {
		return p, err
	}
	return from.Read(ctx)
}

const (
	vendirLock   = "vendir.lock.yml"
	vendirConfig = "vendir.yml"
)

// vendirFile is a vendir.yml or its lock: the config says where contents come from, and the lock at which version.
type vendirFile struct {
	Directories []struct {
		Path     string
		Contents []vendirContent
	}
}

type vendirContent struct {
	Path, NewRootPath string
	Git               *struct{ URL, SHA, Ref string }
	HelmChart         *struct {
		Name, Version string
		Repository    struct{ URL string }
	}
}

// contents returns the contents of a file by their paths below the file's directory.
func (f vendirFile) contents() map[string]vendirContent {
	all := map[string]vendirContent{}
	for _, d := range f.Directories {
		for _, c := range d.Contents {
			all[path.Join(d.Path, c.Path)] = c
		}
	}
	return all
}

// vendored returns the versions in the innermost vendir lock at or above the package: of the package's directory, of
// one around it, or of several in it.
func (h history) vendored(revision string) (out []version, err error) {
	for _, dir := range h.above() {
		var files [2]vendirFile
		for i, name := range [2]string{vendirConfig, vendirLock} {
			text, err := h.text(revision, path.Join(dir, name))
			if err != nil {
				return nil, err
			}
			if yaml.Unmarshal(text, &files[i]) != nil {
				return nil, nil // a former text need not be right
			}
		}
		config := files[0].contents()
		for _, d := range files[1].Directories {
			for _, locked := range d.Contents {
				at := path.Join(d.Path, locked.Path)
				if v, found := h.placed(config[at].at(locked), path.Join(dir, at)); found {
					out = append(out, v)
				}
			}
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	return nil, nil
}

// at returns the version of a content at its lock; it has no source if that is none of git and of a chart in a
// registry of OCI.
func (c vendirContent) at(lock vendirContent) (v version) {
	switch {
	case c.Git != nil && lock.Git != nil:
		at := gitrepo.Remote{Repository: c.Git.URL, Directory: strings.Trim(path.Clean("/"+c.NewRootPath), "/"), Ref: lock.Git.SHA}
		v = version{Source: remote(at), id: at.String(), name: short(at.Ref)}
	case c.HelmChart != nil && lock.HelmChart != nil:
		v.name = lock.HelmChart.Version
		v.id = strings.TrimSuffix(c.HelmChart.Repository.URL, "/") + "/" + c.HelmChart.Name + ":" + v.name
		v.Source = named(v.id)
	}
	return v
}

// placed returns a version of a directory of the repository as one of the package.
func (h history) placed(v version, dir string) (version, bool) {
	if v.where = dir; v.Source == nil {
		return v, false
	}
	below, isBelow := strings.CutPrefix(dir+"/", h.work.Name+"/")
	above, isAbove := strings.CutPrefix(h.work.Name+"/", dir+"/")
	switch {
	case h.work.Name == "" || h.work.Name == ".":
		v.Source = moved{Source: v.Source, under: dir}
	case isBelow:
		v.Source = moved{Source: v.Source, under: strings.TrimSuffix(below, "/")}
	case isAbove:
		v.Source = moved{Source: v.Source, from: strings.TrimSuffix(above, "/")}
	}
	return v, h.work.Name == "" || isBelow || isAbove
}

// moved is a version whose directory from is the directory under of the package.
type moved struct {
	source.Source
	from, under string
}

// Read reads the version.
func (m moved) Read(ctx context.Context) (pkgmerge.Package, error) {
	p, err := m.Source.Read(ctx)
	if err != nil || m.from == "" && m.under == "" {
		return p, err
	}
	var files []pkgmerge.File
	for _, f := range p.Files {
		name, is := strings.CutPrefix("/"+f.Name, path.Join("/", m.from, "/")+"/")
		if m.from == "" {
			name, is = f.Name, true
		}
		if f.Name = path.Join(m.under, name); is {
			files = append(files, f)
		}
	}
	return pkgmerge.NewPackage(files)
}

// together returns the files of all versions as one package.
func together(all []version) source.Source {
	if len(all) == 1 {
		return all[0].Source
	}
	return several(all)
}

type several []version

// Read reads the versions.
func (s several) Read(ctx context.Context) (p pkgmerge.Package, err error) {
	var files []pkgmerge.File
	for _, v := range s {
		one, err := v.Source.Read(ctx)
		if err != nil {
			return p, err
		}
		files = append(files, one.Files...)
	}
	if files, err = file.WithoutIgnored(files, files); err != nil {
		return p, err
	}
	return pkgmerge.NewPackage(files)
}
