package kyamlmerge_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/engines/fn/kyamlmerge"
)

// run runs the command.
func run(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, said bytes.Buffer
	cmd := kyamlmerge.Command()
	cmd.SetArgs(args)
	cmd.SetIn(strings.NewReader(""))
	cmd.SetOut(&out)
	cmd.SetErr(&said)
	err = cmd.Execute()
	return out.String(), said.String(), err
}

// write writes a file into a directory, and returns its name.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// version is a stream with one version of a ConfigMap, on a side unless that is "".
func version(side, color, size string) string {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
	if side != "" {
		text += "  annotations:\n    config.kubernetes.io/merge-source: " + side + "\n"
	}
	return text + "data:\n  color: " + color + "\n  size: " + size + "\n---\n"
}

// Files as arguments are merged into a stream.
func TestCommandOnFiles(t *testing.T) {
	dir := t.TempDir()
	config := write(t, dir, "merge.yaml", "apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nconflicts: {prefer: local}\n")
	files := []string{config}
	for name, text := range map[string]string{
		"v1.yaml": version("origin", "red", "s"), "v2.yaml": version("upstream", "green", "l"), "mine.yaml": version("", "blue", "s"),
	} {
		files = append(files, write(t, dir, name, text))
	}
	out, _, err := run(t, files...)
	want := "apiVersion: v1\nkind: ConfigMap\nmetadata: # kpt-merge: /a\n  name: a\ndata:\n  color: blue\n  size: l\n"
	if err != nil || out != want {
		t.Errorf("error %v:\n%s", err, out)
	}
	write(t, dir, "merge.yaml", "apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nconflicts: {prefer: mine}\n")
	if _, said, err := run(t, files...); err == nil || !strings.HasPrefix(said, `[error]: functionConfig: conflicts.prefer: "mine" is not allowed`) {
		t.Errorf("error %v: %s", err, said)
	}
}

// The command describes itself, and writes a Dockerfile.
func TestCommandHelpAndDockerfile(t *testing.T) {
	if out, _, err := run(t, "--help"); err != nil || !strings.Contains(out, "resource-merge merge.yaml origin.yaml upstream.yaml local.yaml") || !strings.Contains(out, "gen ") {
		t.Errorf("error %v:\n%s", err, out)
	}
	dir := t.TempDir()
	if _, _, err := run(t, "gen", dir); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "Dockerfile")); err != nil || !bytes.Contains(text, []byte(`ENTRYPOINT ["function"]`)) {
		t.Errorf("error %v:\n%s", err, text)
	}
}
