package resolve

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/internal/stream"
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
