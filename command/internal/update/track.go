package update

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// Track returns a copy with the upstream that a user names, SOURCE or SOURCE@VERSION (rules/update:
// tracking). It writes nothing.
func Track(dir, text string) (*Tracked, error) {
	if has, err := hasKptUpstream(dir); err != nil {
		return nil, err
	} else if has {
		return nil, fmt.Errorf("%s: its Kptfile names the upstream, and update reads that first", dir)
	}
	if before, err := ReadTracked(dir); err == nil && before != nil && before.Command != nil {
		return nil, fmt.Errorf("%s: upstream.command names the upstream; edit it by hand, or remove it to track a source", filepath.Join(dir, file.Config))
	}
	t := &Tracked{Dir: dir}
	t.Source, t.Version = splitSource(text)
	if !strings.Contains(t.Source, config.VersionMark) {
		return nil, fmt.Errorf("%s: write {version} in place of the version, and @VERSION behind it all", text)
	}
	var err error
	if isLocal(t.Source) {
		t.Source, err = relativeTo(dir, t.Source)
	}
	return t, err
}

// splitSource splits SOURCE@VERSION, and puts {version} into a source without it.
func splitSource(text string) (from, version string) {
	if at := strings.LastIndexByte(text, '@'); strings.Contains(text, config.VersionMark) {
		if at > strings.LastIndex(text, config.VersionMark) {
			return text[:at], text[at+1:]
		}
		return text, ""
	}
	if reference, is := strings.CutPrefix(text, "oci://"); is {
		return splitArtifact(reference)
	}
	if at := strings.LastIndexByte(text, '@'); at > 0 && isArchive(text[:at]) {
		return strings.ReplaceAll(text[:at], text[at+1:], config.VersionMark), text[at+1:]
	}
	if isArchive(text) {
		return text, ""
	}
	return splitRevision(text)
}

// splitArtifact splits the tag from the reference of an OCI artifact, which may have a directory behind it.
func splitArtifact(reference string) (from, version string) {
	name, dir, hasDir := strings.Cut(reference, "//")
	if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, '/') {
		name, version = name[:at], name[at+1:]
	}
	if from = "oci://" + name + ":" + config.VersionMark; hasDir {
		from += "//" + dir
	}
	return from, version
}

// isArchive reports whether a source is an archive, or a directory of one.
func isArchive(text string) bool {
	if _, rest, isURL := strings.Cut(text, "://"); isURL {
		text = rest
	}
	name, _, _ := strings.Cut(text, "//")
	return source.IsArchive(name)
}

// splitRevision splits a directory of a repository, and its version.
func splitRevision(text string) (from, version string) {
	if gitrepo.IsRemote(text) {
		if all, err := gitrepo.Parse(text); err == nil && all[0].Ref != "" {
			version = all[0].Ref
			at := strings.LastIndex(text, version)
			return text[:at] + config.VersionMark + text[at+len(version):], version
		}
		return text + "@" + config.VersionMark, ""
	}
	if at := strings.LastIndexByte(text, '@'); at > strings.LastIndexByte(text, '/') {
		return text[:at+1] + config.VersionMark, text[at+1:]
	}
	for at := range len(text) { // the tags of one package may begin with its directory: shop/v1
		if text[at] == '@' && isOnDisk(text[:at]) {
			return text[:at+1] + config.VersionMark, text[at+1:]
		}
	}
	return text + "@" + config.VersionMark, ""
}

// isOnDisk reports whether a text names a directory on disk, or one behind // in it.
func isOnDisk(text string) bool {
	name, _, _ := strings.Cut(text, "//")
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// isLocal reports whether a source is a relative path.
func isLocal(text string) bool {
	if filepath.IsAbs(text) || strings.Contains(text, "://") {
		return false
	}
	first, _, _ := strings.Cut(text, "/")
	_, err := os.Lstat(first)
	return !gitrepo.IsRemote(text) || strings.HasPrefix(text, ".") || err == nil
}

// relativeTo returns a path as the config of a copy has it: from the directory on disk, also where a symbolic link leads
// there. The directory behind // stays.
func relativeTo(dir, text string) (string, error) {
	name, below, hasDir := strings.Cut(text, "//")
	real, err := realPath(dir)
	if err != nil {
		return "", err
	}
	here, err := realPath(".")
	if err != nil {
		return "", err
	}
	to, err := filepath.Rel(real, filepath.Join(here, name))
	if err != nil {
		return "", err
	}
	if to = filepath.ToSlash(to); !strings.HasPrefix(to, ".") {
		to = "./" + to
	}
	if hasDir {
		to += "//" + below
	}
	return to, nil
}

// Distance says how far a copy is from a version (rules/update: tracking).
type Distance struct {
	// Version is the version.
	Version Version
	// Resources and Fields count the differing resources and fields: a resource that the version lacks is
	// one field. Files counts the differing files without resources.
	Resources, Fields, Files int
	// LeftOut counts the resources and files of the version that the copy lacks, and All those of the version.
	LeftOut, All int
	// Variant is the directory or file of the version that the copy was compared with, since the version has several with the same
	// resources and nothing tells them apart, "" if it was compared with all.
	Variant string
	// Common counts the resources and files that both have, and Agreeing their equal fields and equal files.
	Common, Agreeing int
	// here and elsewhere are the files of the version with what the copy has, and with what it leaves out.
	here, elsewhere []string
}

// String says the distance for people.
func (d Distance) String() string {
	text := "equal to " + d.Version.Name
	if d.Resources > 0 {
		text = fmt.Sprintf("%s differ%s from %s, in %s", wording.Plural(d.Resources, "resource"), singular(d.Resources), d.Version.Name, wording.Plural(d.Fields, "field"))
	} else if d.Files > 0 {
		text = "its resources are equal to " + d.Version.Name
	}
	if d.Files > 0 {
		text += fmt.Sprintf("; %s differ%s", wording.Plural(d.Files, "other file"), singular(d.Files))
	}
	if d.LeftOut > 0 {
		text += fmt.Sprintf("; your copy leaves out %d of %d resources and files", d.LeftOut, d.All)
		if variant := d.variant(); variant != "" {
			text += "; " + variant + " alone has all of yours"
		}
	}
	return text
}

// variant returns the file or the directory of the version that has all of the copy's resources and files, "" if nothing that the copy
// leaves out is elsewhere.
func (d Distance) variant() string {
	if len(d.here) == 0 {
		return ""
	}
	variant := d.here[0]
	for _, name := range d.here {
		for variant != "." && name != variant && !strings.HasPrefix(name, variant+"/") {
			variant = path.Dir(variant)
		}
	}
	isOutside := func(name string) bool { return name != variant && !strings.HasPrefix(name, variant+"/") }
	if variant == "." || !slices.ContainsFunc(d.elsewhere, isOutside) {
		return ""
	}
	return variant
}

// checkVariant returns an error that names the source for a copy of one of the variants in a version: an update from all of them could not
// tell which one is the copy's.
func (t *Tracked) checkVariant(d Distance) error {
	if d.Variant == "" {
		return nil
	}
	from, ofRevision := strings.CutSuffix(t.below(t.Source), "@"+config.VersionMark)
	separator := "/"
	if !ofRevision && !strings.Contains(from[strings.LastIndex(from, config.VersionMark):], "//") {
		separator = "//"
	}
	source := gitrepo.Redact(from) + separator + d.Variant
	if t.Version != "" {
		source += "@" + t.Version
	}
	return fmt.Errorf("%s has several variants of the same resources, and your copy is nearest to one of them, %s of version %s; give --upstream '%s'",
		gitrepo.Redact(from), d.Variant, d.Version.Name, source)
}

// check returns an error for a version from which more differs than agrees: hardly a copy of it.
func (d Distance) check(dir string) error {
	if differing := d.Fields + d.Files; differing > d.Agreeing {
		return fmt.Errorf("%s: the nearest version is %s, and more differs from it than agrees: %s of %s; see whether the source and its directory are right, or name a version to write it anyway",
			dir, d.Version.Name, wording.Plural(differing, "field"), strconv.Itoa(differing+d.Agreeing))
	}
	return nil
}

// isNearer reports whether a copy is nearer to this version than to another one: by what the copy has, and between equals by what it
// leaves out.
func (d Distance) isNearer(other Distance) bool {
	return cmp.Or(cmp.Compare(d.Fields+d.Files, other.Fields+other.Files), cmp.Compare(d.LeftOut, other.LeftOut)) < 0
}

// singular returns the s of a verb after one thing.
func singular(n int) string {
	if n == 1 {
		return "s"
	}
	return ""
}

// Measure compares the copy with a version.
func (t *Tracked) Measure(ctx context.Context, name string, o pkgmerge.Options) (d Distance, err error) {
	v, err := t.Read(ctx, name)
	if err != nil {
		return d, err
	}
	if d, err = t.measure(ctx, v, o); err == nil {
		err = t.checkVariant(d)
	}
	return d, err
}

// measure compares the copy with a version that was read.
func (t *Tracked) measure(ctx context.Context, v Version, o pkgmerge.Options) (d Distance, err error) {
	packages, err := source.Three(ctx, v, v, source.Dir(t.Dir))
	if err != nil {
		return d, fmt.Errorf("version %s: %w", v.Name, err)
	}
	if d, err = distanceOf(ctx, v, packages, o); err != nil {
		return d, err
	}
	near := nearestVariant(packages[identity.Upstream], packages[identity.Local])
	if near.name == "" {
		return d, nil
	}
	only, err := pkgmerge.NewPackage(near.files)
	if err != nil {
		return d, fmt.Errorf("version %s: %s: %w", v.Name, near.name, err)
	}
	packages[identity.Origin], packages[identity.Upstream] = only, only
	ofVariant, err := distanceOf(ctx, v, packages, o)
	if err != nil {
		return d, err
	}
	if cmp.Or(cmp.Compare(d.Common, ofVariant.Common), cmp.Compare(ofVariant.Fields+ofVariant.Files, d.Fields+d.Files)) < 0 {
		ofVariant.LeftOut += d.All - ofVariant.All
		ofVariant.All, ofVariant.Variant = d.All, near.name
		return ofVariant, nil
	}
	return d, nil
}

// distanceOf compares a copy with a version.
func distanceOf(ctx context.Context, v Version, packages [3]pkgmerge.Package, o pkgmerge.Options) (d Distance, err error) {
	d.Version = v
	merged, err := pkgmerge.Merge(ctx, packages, o)
	if err != nil {
		return d, fmt.Errorf("version %s: %w", v.Name, err)
	}
	for _, c := range merged.Changes {
		if err := d.count(c); err != nil {
			return d, fmt.Errorf("version %s: %w", v.Name, err)
		}
	}
	for _, f := range merged.FileChanges {
		d.countFile(f)
	}
	return d, nil
}

// count adds the differences of a resource.
func (d *Distance) count(c *pkgmerge.Change) error {
	differences, err := c.Differences(identity.Upstream)
	if err != nil {
		return err
	}
	switch isTheirs, isOurs := c.Has(identity.Upstream), c.Has(identity.Local); {
	case isTheirs && isOurs:
		all := 0
		for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
			tree, err := c.Versions[side].Tree()
			if err != nil {
				return err
			}
			all = max(all, leaves(tree))
		}
		d.All++
		d.Common++
		d.Agreeing += max(all-len(differences), 0)
		d.here = append(d.here, c.Versions[identity.Upstream].File)
	case isTheirs:
		d.All++
		d.LeftOut++
		d.elsewhere = append(d.elsewhere, c.Versions[identity.Upstream].File)
		return nil
	}
	d.Resources += min(len(differences), 1)
	d.Fields += len(differences)
	return nil
}

// leaves counts the values of a resource that are no maps and no lists.
func leaves(n *yaml.Node) (count int) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 1; i < len(n.Content); i += 2 {
			count += leaves(n.Content[i])
		}
	case yaml.DocumentNode, yaml.SequenceNode:
		for _, below := range n.Content {
			count += leaves(below)
		}
	default:
		return 1
	}
	return count
}

// countFile adds the difference of a file without resources.
func (d *Distance) countFile(f *pkgmerge.FileChange) {
	theirs, ours := f.Versions[identity.Upstream], f.Versions[identity.Local]
	isCommon := theirs != nil && ours != nil
	if theirs != nil {
		d.All++
	}
	if isCommon {
		d.Common++
		d.here = append(d.here, theirs.Name)
	} else if theirs != nil {
		d.LeftOut++
		d.elsewhere = append(d.elsewhere, theirs.Name)
		return
	}
	if !isCommon || string(theirs.Data) != string(ours.Data) {
		d.Files++
		return
	}
	d.Agreeing++
}

// noVersions returns the error of an upstream without versions, which names the next step. A directory is called as from
// the user's, who may copy the name.
func (t *Tracked) noVersions() error {
	base, ofTags := strings.CutSuffix(t.Source, "@"+config.VersionMark)
	if !ofTags {
		return fmt.Errorf("%s has no versions", gitrepo.Redact(t.Source))
	}
	if base = gitrepo.Redact(base); gitrepo.IsRemote(base) {
		return fmt.Errorf("%s has no versions, because the repository has no tags; name a revision, such as %[1]s@main", base)
	}
	base = path.Clean(t.below(base))
	if _, err := os.Stat(base); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such directory", base)
	}
	return fmt.Errorf("%s has no versions, because the repository has no tags; name a revision, such as %[1]s@main%s", base, besideHint(base))
}

// besideHint says how to name one of several directories or files, each with a version: the numbers of its name, else its name.
func besideHint(name string) string {
	base := path.Base(name)
	version := cmp.Or(regexp.MustCompile(`v?[0-9]+(\.[0-9]+)*`).FindString(base), base)
	return fmt.Sprintf("; for versions beside each other write --upstream '%s@%s'", path.Join(path.Dir(name), strings.Replace(base, version, config.VersionMark, 1)), version)
}

// CheckPlace returns an error if the source is a directory that is not there, or whose versions are to be those of a repository, and it
// is in none.
func (t *Tracked) CheckPlace(ctx context.Context) error {
	base, ofTags := strings.CutSuffix(t.Source, "@"+config.VersionMark)
	if !ofTags || gitrepo.IsRemote(base) {
		return nil
	}
	base = path.Clean(t.below(base))
	if work, err := (gitrepo.Git{}).Find(ctx, base); work != nil || err != nil {
		return err
	}
	if _, err := os.Stat(base); err != nil {
		return fmt.Errorf("%s: no such directory%s", base, file.Nearest(base))
	}
	return fmt.Errorf("%s is in no git repository, so it has no versions%s", base, besideHint(base))
}

// prefetch fetches all versions of a repository at once. Without it, each is fetched when it is read.
func (t *Tracked) prefetch(ctx context.Context, names []string) error {
	from := t.below(t.Source)
	remotes, err := gitrepo.Parse(from)
	if err != nil || !gitrepo.IsRemote(from) {
		return err
	}
	versions := make([]string, len(names))
	for i, name := range names {
		versions[i] = strings.ReplaceAll(remotes[0].Ref, config.VersionMark, name)
	}
	return gitrepo.Git{}.Prefetch(ctx, versions, remotes...)
}
