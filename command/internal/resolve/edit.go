package resolve

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/report"
)

// edit opens a conflict in the user's editor, and takes the edited lines if they may stand
// (rules/resolve: what may stand).
func (s *session) edit(c *conflict) (done bool, err error) {
	lines, err := s.runEditor(c)
	if err != nil {
		s.say("Nothing was decided: %v.", err)
		return false, nil
	}
	if (marker.Format{}).HasMarker(lines) {
		s.say("Nothing was decided: the edited text still has markers.")
		return false, nil
	}
	if err := c.file.check(map[*conflict][]byte{c: lines}); err != nil {
		s.say("Nothing was decided: with the edited text %v.", err)
		return false, nil
	}
	return true, s.decide(keyEdit, lines, c)
}

// runEditor returns the lines of a conflict as the user's editor leaves them.
func (s *session) runEditor(c *conflict) ([]byte, error) {
	f, err := os.CreateTemp("", "resource-merge-*"+filepath.Ext(c.file.name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(c.current())
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if err := s.startEditor(f.Name()); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(f.Name())
	if err != nil {
		return nil, err
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	return stream.LikeIn(text, c.raw), nil
}

// startEditor lets the user edit a file.
func (s *session) startEditor(name string) error {
	editor := cmp.Or(os.Getenv("EDITOR"), "vi")
	cmd := exec.CommandContext(s.answers.ctx, "sh", "-c", editor+` "$@"`, editor, name) // #nosec G204 G702 -- EDITOR is the user's own, and git runs it so too
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if s.answers.terminal != nil {
		cmd.Stdin = s.answers.terminal
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor %s failed: %w; EDITOR names another one", editor, err)
	}
	return nil
}

// writeRule asks for a side, writes the rule that takes it next time into the config, and takes it.
func (s *session) writeRule(c *conflict) (done bool, err error) {
	if !c.isOneResource() {
		s.say("No rule can name this conflict: it is in no single document of YAML.")
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
	dir := s.configDir(c)
	name := filepath.Join(dir, file.Config)
	if err := addRule(name, c.rule(dir, prefer)); err != nil {
		s.say("No rule was written, and nothing was decided: %v.", err)
		return false, nil
	}
	s.say("%s has a rule that takes %s's.", name, prefer)
	return s.choose(c, key)
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

// rule returns the rule that decides a conflict. A document without a name is known by its file, and a part
// of an image by the image.
func (c *conflict) rule(dir string, prefer identity.Side) report.Rule {
	meta := c.fields[0].meta
	at := c.path
	if len(c.fields) == 1 && c.fields[0].isPartOfImage() {
		at = c.fields[0].above
	}
	r := report.Rule{Kind: meta.Kind, Group: identity.Group(meta.APIVersion), Name: meta.Name, Namespace: meta.Namespace, Path: at.String(), Prefer: prefer.String()}
	if meta.Kind == "" || meta.Kind == "Kptfile" || meta.Name == "" {
		r.Name, r.Namespace = filepath.Base(c.file.name), ""
		if below, err := filepath.Rel(dir, c.file.name); err == nil && !c.file.isUnmerged {
			r.Name = filepath.ToSlash(below)
		}
	}
	return r.Exact()
}

// addRule writes a rule into a config, before the other rules.
func addRule(name string, rule report.Rule) error {
	write, err := config.Edit(name, func(text []byte) ([]byte, error) { return config.AddRule(name, text, rule.YAML()) })
	if err != nil {
		return err
	}
	return write()
}
