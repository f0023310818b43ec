package pkgmerge

import (
	"fmt"
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// A version that ignores a file says nothing about it, which is no deletion (rules/files: ignored files). So where upstream
// ignores a file, origin's version of it does not count: local alone has it, and it stays.

// keepIgnored leaves origin's versions out of the matches of resources in files that upstream ignores.
func (p *plan) keepIgnored(matches []*Match) {
	for _, match := range matches {
		o, l := match.Versions[identity.Origin], match.Versions[identity.Local]
		if l == nil || match.Has(identity.Upstream) || !p.isIgnored(l.File) && (o == nil || !p.isIgnored(o.File)) {
			continue
		}
		if match.ignored = true; o != nil {
			p.kept, match.Versions[identity.Origin] = append(p.kept, l.File), nil
		}
	}
}

// isIgnored reports whether upstream ignores a file.
func (v *versions) isIgnored(name string) bool {
	upstream := v.packages[identity.Upstream]
	return v.driven == nil && upstream.Ignored != nil && upstream.Ignored(name)
}

// ignoredNotices tells in one notice which files stay since upstream ignores them.
func (a *assembly) ignoredNotices(files []*FileChange) []Notice {
	names := slices.Clone(a.kept)
	for _, c := range files {
		if c.ignored && a.packages[identity.Origin].content(c.Name) != nil {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return nil
	}
	return []Notice{{Text: fmt.Sprintf("upstream's .krmignore lists %s: your version stays, and no change of upstream's comes to it any more", wording.FirstFile(names))}}
}
