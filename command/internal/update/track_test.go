package update

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTrackSources has sources as users name them, with the form that goes into the config.
func TestTrackSources(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"shop", "up", "repo.git"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string][2]string{
		"https://h/o/r.git/d@v1":                 {"https://h/o/r.git/d@{version}", "v1"},
		"https://h/o/r.git/d":                    {"https://h/o/r.git/d@{version}", ""},
		"https://h/o/r//d?ref=v1":                {"https://h/o/r//d?ref={version}", "v1"},
		"https://h/o/r.git/d@v{version}":         {"https://h/o/r.git/d@v{version}", ""},
		"https://h/o/r.git/d@v{version}@1.2":     {"https://h/o/r.git/d@v{version}", "1.2"},
		"git@h:o/r.git@v1":                       {"git@h:o/r.git@{version}", "v1"},
		"git@h:o/r.git":                          {"git@h:o/r.git@{version}", ""},
		"oci://h:5000/r:1.2//d":                  {"oci://h:5000/r:{version}//d", "1.2"},
		"oci://h:5000/r":                         {"oci://h:5000/r:{version}", ""},
		"https://h/s-1.2.tgz//d@1.2":             {"https://h/s-{version}.tgz//d", "1.2"},
		"https://h/v1/s-{version}.zip@1.2":       {"https://h/v1/s-{version}.zip", "1.2"},
		"up/d@v1":                                {"../up/d@{version}", "v1"},
		"./up/{version}//d@v1":                   {"../up/{version}//d", "v1"},
		"shop/up/{version}":                      {"./up/{version}", ""},
		"repo.git/d@v1":                          {"../repo.git/d@{version}", "v1"},
		"/up/{version}@v1":                       {"/up/{version}", "v1"},
		filepath.Join("up", "s-1.tar.gz") + "@1": {"../up/s-{version}.tar.gz", "1"},
	} {
		got, err := Track("shop", text)
		if err != nil || got.Source != want[0] || got.Version != want[1] {
			t.Errorf("%s: %+v, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"https://h/s.tgz", "s-1.2.tgz@1.3"} {
		if got, err := Track("shop", text); err == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
