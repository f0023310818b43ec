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
	if _, said, err := run(t, files...); err == nil || !strings.HasPrefix(said, `Error: [error]: functionConfig: conflicts.prefer: "mine" is not allowed`) {
		t.Errorf("error %v: %s", err, said)
	}
}

// A resource that upstream adds comes out without the file that it has in upstream's directory.
func TestCommandOnDirectories(t *testing.T) {
	dir := t.TempDir()
	for _, side := range []string{"v1", "v2"} {
		if err := os.Mkdir(filepath.Join(dir, side), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, side), "a.yaml", version("", "red", "s"))
	}
	write(t, filepath.Join(dir, "v2"), "b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n")
	config := write(t, dir, "merge.yaml", "apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nsources:\n  origin: {dir: "+
		filepath.Join(dir, "v1")+"}\n  upstream: {dir: "+filepath.Join(dir, "v2")+"}\n")
	out, said, err := run(t, config, write(t, dir, "mine.yaml", version("", "blue", "s")))
	want := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  color: blue\n  size: s\n" +
		"---\napiVersion: v1\nkind: ConfigMap\nmetadata: # kpt-merge: /b\n  name: b\n"
	if err != nil || out != want {
		t.Errorf("error %v, said %s:\n%s", err, said, out)
	}
}

// Whatever fails, the command says so.
func TestCommandSaysWhatFails(t *testing.T) {
	dir := t.TempDir()
	nowhere, config := filepath.Join(dir, "nowhere.yaml"), write(t, dir, "merge.yaml", "apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\n")
	for _, args := range [][]string{{nowhere}, {config, nowhere}, {"gen", nowhere}, {"--nothing"}, {"gen"}} {
		if _, said, err := run(t, args...); err == nil || !strings.HasPrefix(said, "Error: ") {
			t.Errorf("%v: error %v, said %q", args, err, said)
		}
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
