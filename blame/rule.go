package blame

import (
	"context"
	"fmt"
	"path"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// configFile is the file with the rules of a package.
const configFile = file.Config

// Rule is a rule for conflicts, and its line in the config.
type Rule struct {
	pkgmerge.Rule
	Line int
}

// decides reports whether the rule is for conflicts of a field.
func (r Rule) decides(d *document, at *merge.Path) bool {
	if r.Group != nil && *r.Group != identity.Group(d.meta.APIVersion) || r.Kind != "" && r.Kind != d.meta.Kind {
		return false
	}
	if r.Path != nil && (!r.Path.Covers(at) || r.Learned != "" && len(r.Path) != len(at.Steps())) {
		return false
	}
	own, id := identity.Entry{Meta: d.meta}.OwnID(), identity.Entry{Meta: d.meta}.ID()
	return r.names(own.Namespace, own.Name) || r.names(id.Namespace, id.Name)
}

func (r Rule) names(namespace, name string) bool {
	named, err := path.Match(r.Name, name)
	return (r.Namespace == nil || *r.Namespace == namespace) && (r.Name == "" || named && err == nil)
}

// decide marks the values that differ from upstream's because of a rule: it keeps local's value, or makes one of
// both, and upstream changed its value while the package had it.
func (u *upstream) decide(ctx context.Context, a *Annotation, rules []Rule) error {
	for _, one := range a.units {
		if !one.isChosen || one.leaf == nil || !one.leaf.isWhole || one.main.version != "" {
			continue
		}
		for _, r := range rules {
			if !r.decides(one.in, one.leaf.path) {
				continue
			}
			if kept := r.Prefer != merge.PreferUpstream && r.Prefer != merge.PreferFail; kept && u.changed(ctx, one) {
				one.rule = fmt.Sprintf("%s:%d", configFile, r.Line)
			}
			break
		}
	}
	return ctx.Err()
}

// changed reports whether upstream's versions have different values of a field. With one version only nothing is known
// against it, if that has the field.
func (u *upstream) changed(ctx context.Context, one *unit) bool {
	values := map[string]bool{}
	now := u.below(one.in)
	for i, r := range u.releases {
		if !u.load(ctx, r) {
			break
		}
		found := u.versionOf(r, now, func(*document) bool { return true })
		if found == nil {
			values[""] = true
			continue
		}
		found.load(u.kinds)
		if now = found; i == 0 && len(u.releases) == 1 {
			_, has := found.fields[one.leaf.name]
			return has
		}
		values[found.fields[one.leaf.name]] = true
	}
	return len(values) > 1
}
