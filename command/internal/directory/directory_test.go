package directory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// write writes files below a new directory, by their paths.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"

func TestRead(t *testing.T) {
	dir := write(t, map[string]string{
		".krmignore":           "ignored.yaml\n",
		".resource-merge.yaml": configMap,
		"Kptfile":              "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n",
		"README.md":            "no resource\n",
		"ignored.yaml":         configMap,
		"list.yml":             "- 1\n- 2\n---\n" + configMap,
		"sub/Kptfile":          "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: sub\n",
		"sub/ignored.yaml":     "# Above.\n---\n\n---\n--- {apiVersion: v1, kind: ConfigMap, metadata: {name: flow}}\n---\n" + configMap + "data:\n  # Comment.\n",
		"templates/web.yaml":   "a: {{ .Values.a }}\nb: [\n",
		"text.yaml":            "a text\n",
		"wide.yaml":            "# Header.\n\n" + configMap + "words: [\"a:\"]\n# - none\nlist: # of one\n  # Comment.\n  - a\n",
		"compact.yaml":         configMap + "list:\n- a\n",
	})
	content, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, d := range content.Documents {
		for _, name := range []string{bookkeeping.Path, bookkeeping.Index, bookkeeping.SeqIndent} {
			got.WriteString(yamlnode.Annotation(d.Node, name) + " ")
		}
		got.WriteString(yamlnode.Text(yamlnode.Lookup(d.Node, "metadata", "name")) + "\n")
	}
	for _, s := range content.Skipped {
		got.WriteString(s.File + ": " + s.Reason + "\n")
	}
	const want = `Kptfile 0 compact shop
compact.yaml 0 compact a
list.yml 1 compact a
sub/Kptfile 0 compact sub
sub/ignored.yaml 0 compact flow
sub/ignored.yaml 1 compact a
wide.yaml 0 wide a
templates/web.yaml: it is not valid YAML: line 2: did not find expected node content
text.yaml: it is not valid YAML: a document in it is not a resource
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestReadRefuses(t *testing.T) {
	outside := write(t, map[string]string{"secret.yaml": configMap})
	for _, test := range []struct {
		name, want string
		prepare    func(dir string) error
	}{
		{"a link that leads out", "link.yaml leads out of the directory", func(dir string) error {
			return os.Symlink(filepath.Join(outside, "secret.yaml"), filepath.Join(dir, "link.yaml"))
		}},
		{"a link to a directory", "link.yaml is not a regular file", func(dir string) error {
			return os.Symlink("sub", filepath.Join(dir, "link.yaml"))
		}},
		{"a broken Kptfile", "Kptfile: line 1: did not find expected", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "sub", "Kptfile"), []byte("a: [\n"), 0o644)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := write(t, map[string]string{"sub/a.yaml": configMap})
			if err := test.prepare(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestReadFollowsALinkWithin(t *testing.T) {
	dir := write(t, map[string]string{"sub/a.yaml": configMap})
	if err := os.Symlink("sub/a.yaml", filepath.Join(dir, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	content, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(content.Documents) != 2 {
		t.Errorf("got %d documents", len(content.Documents))
	}
}
