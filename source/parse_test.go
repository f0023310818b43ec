package source_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/source"
)

const cm = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: %s}\n"

// configMap is a ConfigMap with a value.
func configMap(value string) string { return strings.ReplaceAll(cm, "%s", value) }

// git runs git in a directory as nobody in particular.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// repository is a repository whose tag v1 has a package in deploy, which is
// another one in the work tree.
func repository(t *testing.T) string {
	t.Helper()
	t.Setenv("KPT_CACHE_DIR", t.TempDir())
	dir := string(files(t, map[string]string{"deploy/a.yaml": configMap("1"), "gone/a.yaml": configMap("1")}))
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message=a")
	git(t, dir, "tag", "v1")
	if err := os.WriteFile(filepath.Join(dir, "deploy", "a.yaml"), []byte(configMap("2")), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "gone")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestParse(t *testing.T) {
	t.Chdir(repository(t))
	if err := os.WriteFile("at@v1", []byte(configMap("3")), 0o644); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][2]string{
		"deploy":                        {"a.yaml", "2"},
		"deploy/":                       {"a.yaml", "2"},
		"deploy/a.yaml":                 {"a.yaml", "2"},
		"deploy@v1":                     {"a.yaml", "1"},
		"./deploy/@HEAD":                {"a.yaml", "1"},
		"gone@v1":                       {"a.yaml", "1"},
		"deploy/a.yaml@v1":              {"a.yaml", "1"},
		"@v1":                           {"deploy/a.yaml", "1"},
		"at@v1":                         {"at@v1", ""},
		"-":                             {"stdin.yaml", "4"},
		here + "/.git/deploy@v1":        {"a.yaml", "1"},
		"./.git/deploy@v1":              {"a.yaml", "1"},
		"file://" + here + "//deploy":   {"a.yaml", "1"},
		"file://" + here + "/deploy@v1": {"a.yaml", "1"},
	} {
		s, err := source.Parse(text, strings.NewReader(configMap("4")))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		p, err := s.Read(context.Background())
		if err != nil || len(p.Resources)+len(p.Files) == 0 {
			t.Errorf("%s: %v, %d resources", text, err, len(p.Resources))
			continue
		}
		if len(p.Files) > 0 && p.Files[0].Name != want[0] {
			t.Errorf("%s: the file is %s, want %s", text, p.Files[0].Name, want[0])
		}
		if want[1] == "" {
			continue
		}
		yaml, err := p.Resources[0].YAML()
		if diff := cmp.Diff(configMap(want[1]), string(yaml)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Chdir(repository(t))
	bare := filepath.Join(t.TempDir(), "mirror")
	git(t, ".", "clone", "--quiet", "--bare", ".", bare)
	for text, want := range map[string]string{
		"":                                 "no name",
		bare + "/deploy@v1":                "in a bare repository it is file://" + filepath.ToSlash(bare) + "//deploy",
		bare + "@v1":                       "in a bare repository it is file://" + filepath.ToSlash(bare),
		"none":                             `"none": no such file or directory`,
		"none@":                            `"none@": no such file or directory`,
		"deploy@v9":                        `no revision "v9"`,
		"deploy@--all":                     "looks like an option",
		"other@v1":                         "no such directory",
		"https://127.0.0.1:1/a.git/x@--a":  "looks like an option",
		"https://127.0.0.1:1/a.git/../x@a": "not below the top",
		os.TempDir() + "@v1":               "is in no git repository",
	} {
		s, err := source.Parse(text, nil)
		if err == nil {
			_, err = s.Read(context.Background())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
}

// A version in a repository is without what its .krmignore names, as a directory is.
func TestRevisionHonoursKrmignore(t *testing.T) {
	dir := string(files(t, map[string]string{".krmignore": "gen\n", "gen/a.yaml": configMap("1"), "a.yaml": configMap("1")}))
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message=a")
	for _, s := range []source.Source{source.Dir(dir), parsed(t, dir+"@HEAD")} {
		var names []string
		for _, f := range read(t, s).Files {
			names = append(names, f.Name)
		}
		if diff := cmp.Diff([]string{".krmignore", "a.yaml"}, names); diff != "" {
			t.Errorf("%v (-want +got):\n%s", s, diff)
		}
	}
}

// Three versions of one file are versions of that file, whatever they are called.
func TestParseThreeFiles(t *testing.T) {
	t.Chdir(repository(t))
	sources, err := source.ParseThree("deploy/a.yaml@v1", "-", "deploy/a.yaml", strings.NewReader(configMap("4")))
	if err != nil {
		t.Fatal(err)
	}
	for side, s := range sources {
		if p := read(t, s); len(p.Files) != 1 || p.Files[0].Name != "a.yaml" {
			t.Errorf("%s: %d files", identity.Side(side), len(p.Files))
		}
	}
	if _, err = source.ParseThree("-", "-", "deploy", nil); err == nil || !strings.Contains(err.Error(), "only one version") {
		t.Errorf("got %v", err)
	}
	if _, err = source.ParseThree("deploy", "none", "deploy", nil); err == nil || !strings.HasPrefix(err.Error(), "upstream: ") {
		t.Errorf("got %v", err)
	}
}

func parsed(t *testing.T, text string) source.Source {
	t.Helper()
	s, err := source.Parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
