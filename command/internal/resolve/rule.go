package resolve

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/report"
)

// writeRule asks for a side, writes the rules that take it next time into the config, and takes it.
func (s *session) writeRule(c *conflict) (done bool, err error) {
	if err := c.checkRule(identity.Local); err != nil {
		s.say("No rule can decide this conflict: %v.", err)
		return false, nil
	}
	key, err := s.askSide("Always take which [u,l]? ")
	if err != nil || key == 0 {
		return false, err
	}
	prefer := identity.Upstream
	if key == keyLocal {
		prefer = identity.Local
	}
	if err := s.addRules(c, prefer); err != nil {
		s.say("No rule was written, and nothing was decided: %v.", err)
		return false, nil
	}
	return s.choose(c, key)
}

// addRules writes the rules that take a side of a conflict into its config, and tells the user.
func (s *session) addRules(c *conflict, prefer identity.Side) error {
	if err := c.checkRule(prefer); err != nil {
		return err
	}
	dir := s.configDir(c)
	name, rules := filepath.Join(dir, file.Config), c.rules(dir, prefer)
	if err := addRules(dir, rules); err != nil {
		return err
	}
	if len(rules) == 1 {
		s.say("%s has a rule that takes %s's.", name, prefer)
	} else {
		s.say("%s has %s that take %s's.", name, wording.Plural(len(rules), "rule"), prefer)
	}
	return nil
}

// checkRule returns an error if no rule takes a side of a conflict next time, as the user may take it now
// (rules/resolve: rules for next time).
func (c *conflict) checkRule(prefer identity.Side) error {
	switch {
	case !c.isOneResource():
		return errors.New("it is in no single document of YAML")
	case prefer == identity.Upstream && c.staysDeleted:
		return errors.New("no rule brings back a map, an element or a document that you deleted")
	}
	return nil
}

// configDir returns the directory of the config for a conflict: the nearest one above the file that has a
// config, up to the directory of the walk, which else gets one.
func (s *session) configDir(c *conflict) string {
	last := s.Dir
	if s.Dir == c.file.name {
		last = filepath.Dir(s.Dir)
	}
	last = filepath.Clean(last)
	for dir := filepath.Dir(c.file.name); dir != last; dir = filepath.Dir(dir) {
		if hasConfig(dir) || dir == filepath.Dir(dir) {
			return dir
		}
	}
	return last
}

// rules returns the rules that decide a conflict: one for a whole document, else one for each path at which a merge
// decides a field of it. A document without a name is known by its file.
func (c *conflict) rules(dir string, prefer identity.Side) (rules []report.Rule) {
	meta := c.fields[0].meta
	r := report.Rule{Kind: meta.Kind, Group: identity.Group(meta.APIVersion), Name: meta.Name, Namespace: meta.Namespace, Prefer: prefer.String()}
	if meta.Kind == "" || meta.Kind == "Kptfile" || meta.Name == "" {
		r.Name, r.Namespace = filepath.Base(c.file.name), ""
		if below, err := filepath.Rel(dir, c.file.name); err == nil && !c.file.isUnmerged {
			r.Name = filepath.ToSlash(below)
		}
	}
	for _, path := range c.rulePaths() {
		r.Path = path.String()
		if one := r.Exact(); !slices.Contains(rules, one) {
			rules = append(rules, one)
		}
	}
	return rules
}

// rulePaths returns the paths at which a merge decides the conflict: nil for a whole document.
func (l location) rulePaths() (paths []*merge.Path) {
	if l.path == nil && len(l.fields) == 1 {
		return []*merge.Path{nil}
	}
	for _, f := range l.fields {
		paths = append(paths, f.decided)
	}
	return paths
}

// addRules writes rules into the config in a directory, before the other rules.
func addRules(dir string, rules []report.Rule) error {
	edited, err := config.Edit(dir, func(text []byte) (out []byte, err error) {
		out = text
		for _, r := range slices.Backward(rules) {
			if out, err = config.AddRule(filepath.Join(dir, file.Config), out, r.YAML()); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
	if err != nil {
		return err
	}
	return edited.Write(context.Background(), dir) // an interrupt waits for one file
}
