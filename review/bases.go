package review

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/patch/kustomize"
)

// findBases returns the bumps of remote bases and components in kustomizations that changed (rules/review: bumps).
func findBases(old, now kustomize.Files, names []string) (found []*Bump, notes []string) {
	graph := kustomize.Graph{Files: now}
	for _, name := range names {
		if path.Base(kustomize.FileOf(now, path.Dir(name))) != path.Base(name) || !old.Has(name) {
			continue
		}
		is, err := kustomize.Read(now, path.Dir(name))
		if err != nil {
			notes = append(notes, fmt.Sprintf("%v; its bases are not judged", err))
			continue
		}
		was, err := kustomize.Read(old, path.Dir(name))
		if err != nil {
			continue
		}
		gone, added := entriesWithout(remotes(was), remotes(is)), entriesWithout(remotes(is), remotes(was))
		for _, n := range added {
			entry := n.Value
			earlierEntry := counterpartOf(entry, gone, len(added) == 1)
			if earlierEntry == "" {
				continue
			}
			base, version := splitEntry(entry)
			was, earlier := splitEntry(earlierEntry)
			b := &Bump{Name: base, File: name, Old: earlier, New: version}
			if was != base { // another base, or a query that says no version
				b.Old, b.New = earlierEntry, entry
			}
			b.compare = func(from Upstream) error {
				return b.judge(from, func(on *kustomize.Builder) error {
					on.Version = func(k kustomize.Kustomization, of string) (string, bool) {
						if k.File == name && of == entry {
							return [2]string{earlierEntry, entry}[on.Side], true
						}
						return of, false
					}
					return on.Directories(now, graph.Roots(is.Dir))
				})
			}
			found = append(found, b)
		}
	}
	return found, notes
}

// remotes returns the remote entries of a kustomization, of resources, bases and components.
func remotes(k kustomize.Kustomization) (entries []*yamlnodes.Node) {
	for _, field := range []string{"resources", "bases", "components"} {
		for _, n := range k.Entries(field) {
			if kustomize.IsRemote(n.Value) {
				entries = append(entries, n)
			}
		}
	}
	return entries
}

// entriesWithout returns the entries that others lack.
func entriesWithout(all, others []*yamlnodes.Node) []*yamlnodes.Node {
	return slices.DeleteFunc(slices.Clone(all), func(n *yamlnodes.Node) bool {
		return slices.ContainsFunc(others, func(other *yamlnodes.Node) bool { return other.Value == n.Value })
	})
}

// counterpartOf returns the entry that a new one replaced: the only one that is gone, of its base unless it is the only new one; "" if there is
// none.
func counterpartOf(entry string, gone []*yamlnodes.Node, isOnly bool) string {
	base, _ := splitEntry(entry)
	if !isOnly || len(gone) != 1 {
		gone = slices.DeleteFunc(slices.Clone(gone), func(n *yamlnodes.Node) bool {
			its, _ := splitEntry(n.Value)
			return its != base
		})
	}
	if len(gone) != 1 {
		return ""
	}
	return gone[0].Value
}

// withVersion returns a remote entry at another version.
func withVersion(entry, version string) string {
	_, is := splitEntry(entry)
	if text, query, found := strings.Cut(entry, "?"); found && is != "" {
		return text + "?" + strings.Replace(query, "="+is, "="+version, 1)
	} else if is != "" {
		return strings.ReplaceAll(entry, is, version)
	}
	return entry
}

// versionText finds the version in the URL of a manifest, such as v1.2.3 or release-1.2.
func versionText() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z]*[-_]?v?[0-9]+(\.[0-9]+)+[A-Za-z0-9.+_-]*|[0-9a-f]{40}`)
}

// splitEntry splits a remote entry into the base and its version.
func splitEntry(entry string) (base, version string) {
	text, query, found := strings.Cut(entry, "?")
	if values, err := url.ParseQuery(query); found && err == nil {
		for _, name := range []string{"ref", "version"} {
			if ref := values.Get(name); ref != "" {
				return text, ref
			}
		}
	}
	if !kustomize.IsYAML(text) {
		return entry, ""
	}
	scheme, rest, _ := strings.Cut(text, "://")
	host, place, _ := strings.Cut(rest, "/")
	for part := range strings.SplitSeq(place, "/") {
		if versionText().MatchString(strings.TrimSuffix(part, path.Ext(part))) && version == "" {
			version = versionText().FindString(strings.TrimSuffix(part, ".yaml"))
		}
	}
	return scheme + "://" + host + "/" + versionText().ReplaceAllString(place, "*"), version
}

// judge builds both versions, and judges the lines of the layers.
func (b *Bump) judge(from Upstream, build func(on *kustomize.Builder) error) error {
	met := &kustomize.Uses{}
	known := schema.NewColumn(schema.StrategicMerge, nil)
	var on *kustomize.Builder
	for side := range 2 {
		on = &kustomize.Builder{Bases: from.Bases, Known: known, Side: side, Uses: met}
		if err := build(on); err != nil {
			return err
		}
	}
	for _, u := range met.All {
		b.Lines = append(b.Lines, judge{on}.lines(u)...)
	}
	return nil
}
