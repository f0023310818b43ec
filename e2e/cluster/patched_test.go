package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// forms are the forms of patches that a server takes, as kubectl patch --type calls them.
func forms() []string { return []string{"strategic", "merge", "json"} }

// patches are the ends of patches that a tally must have.
func patches() []string {
	ends := []string{"strategic patches: refused of a custom resource"}
	for _, form := range forms() {
		ends = append(ends, form+" patches: applied", form+" patches: nothing to patch")
	}
	return ends
}

// patched returns the server's object after a dry run of our patch of each form
// (rules/patches: forms). Each is to equal the object that the server holds once it got the
// result. The forms that cannot express the change, and strategic patches of custom
// resources, are absent.
func (c *comparison) patched(t *testing.T) map[string]server.Object {
	t.Helper()
	made, live := map[string]server.Object{}, c.there.held(t)
	if live == nil {
		return nil
	}
	sent := map[string]string{}
	for _, form := range forms() {
		sent[form] = c.patch(t, form)
		object, end := c.tried(t, form, sent[form], live)
		c.ends = append(c.ends, form+" patches: "+end)
		if object != nil {
			made[form] = object
		}
	}
	chosen := sent["strategic"]
	if c.isCustom() {
		chosen = sent["merge"]
	}
	if auto := c.patch(t, "auto"); auto != chosen && !strings.HasPrefix(chosen, unsayable) {
		c.differ("patch of form auto", "- "+chosen+"+ "+auto)
	}
	return made
}

func (c *comparison) isCustom() bool { return c.situation.kind == "Widget" }

// tried returns the live object after a dry run of a patch, nil if the patch cannot be made
// or is refused, and how it ended.
func (c *comparison) tried(t *testing.T, form, patch string, live server.Object) (made server.Object, end string) {
	t.Helper()
	switch {
	case patch == "":
		return live, "nothing to patch"
	case strings.HasPrefix(patch, unsayable):
		return nil, "cannot express it"
	}
	made, err := c.send(t, form, patch)
	var refusal *server.Refusal
	switch {
	case form == "strategic" && c.isCustom():
		isUnsupported := errors.As(err, &refusal) && refusal.Reason == "UnsupportedMediaType" ||
			err != nil && strings.Contains(err.Error(), "is not supported by") // kubectl's words
		if !isUnsupported {
			c.differ("patch of form strategic", fmt.Sprintf("- a custom resource takes it: %v", err))
		}
		return nil, "refused of a custom resource"
	case err != nil:
		c.differ("patch of form "+form, fmt.Sprintf("- %v\n+ %s", err, patch))
		return nil, "refused"
	}
	return made, "applied"
}

// unsayable begins the text that stands for a patch that cannot be made.
const unsayable = "cannot express it: "

// patch is our patch of a form, "" if nothing differs.
func (c *comparison) patch(t *testing.T, form string) string {
	t.Helper()
	dir := t.TempDir()
	live, config := filepath.Join(dir, "live.yaml"), filepath.Join(dir, "config.yaml")
	err := errors.Join(
		os.WriteFile(live, []byte(strings.Join(c.recorded, "\n---\n")), 0o600),
		os.WriteFile(config, []byte(document(t, c.there.object(t, c.situation.config))), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"apply", "--live", live, "-n", c.there.name, "--patches=" + form, "--quiet"}, c.flags...)
	answer := server.Run(exec.CommandContext(t.Context(), function, append(args, config)...), "")
	if strings.Contains(answer.Stderr, "patch cannot express it") {
		return unsayable + answer.Stderr
	}
	if answer.Refused() {
		t.Fatalf("the command made no %s patch: %s", form, answer.Stderr)
	}
	return strings.TrimPrefix(answer.Stdout, "---\n")
}

// send sends a patch as a dry run, and returns the patched object.
func (c *comparison) send(t *testing.T, form, patch string) (server.Object, error) {
	t.Helper()
	patch = sendable(t, form, patch)
	if c.situation.byKubectl {
		return c.there.patch(t, target(c.situation.config), form, patch, "--dry-run=server")
	}
	var body any
	if err := yaml.Unmarshal([]byte(patch), &body); err != nil {
		t.Fatal(err)
	}
	return cluster.Patch(t.Context(), c.there.path, form, body)
}

// patch patches an object with kubectl, and returns the patched object.
func (p place) patch(t *testing.T, target, form, patch string, args ...string) (made server.Object, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "patch.yaml")
	if err := os.WriteFile(file, []byte(patch), 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"patch", target, "--type=" + form, "--patch-file=" + file, "-o", "json"}, args...)
	answer := p.kubectl(t, step{args: args})
	if reason := kubectlReason.FindStringSubmatch(answer.Stderr); reason != nil {
		return nil, &server.Refusal{Reason: reason[1], Message: answer.Stderr}
	}
	if answer.Refused() {
		return nil, errors.New(answer.Stderr)
	}
	if err := json.Unmarshal([]byte(answer.Stdout), &made); err != nil {
		t.Fatal(err)
	}
	return made, nil
}

// kubectlReason is the reason of a refusal in the words of kubectl.
var kubectlReason = regexp.MustCompile(`^Error from server \((\w+)\): `)

// sendable is a patch of a form as a server takes it: of a Component of one JSON patch, its
// operations.
func sendable(t *testing.T, form, patch string) string {
	t.Helper()
	if form != "json" || patch == "" {
		return patch
	}
	var component struct{ Patches []struct{ Patch string } }
	if err := yaml.Unmarshal([]byte(patch), &component); err != nil || len(component.Patches) != 1 {
		t.Fatalf("no Component of one patch: %v\n%s", err, patch)
	}
	return component.Patches[0].Patch
}
