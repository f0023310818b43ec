package tests

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// TestEnginesRequireRelease: the modules in engines require the newest release, because the
// replace in their go.mod does not count for those who get them. Before the first release they
// require that one.
func TestEnginesRequireRelease(t *testing.T) {
	want := "v1.0.0"
	if newest := regexp.MustCompile(`(?m)^## \[(\d[^]]*)\]`).FindSubmatch(readOptional(t, "CHANGELOG.md")); newest != nil {
		want = "v" + string(newest[1])
	}
	files, err := filepath.Glob("engines/*/go.mod")
	if err != nil || len(files) < 2 {
		t.Fatalf("found the modules %v: %v", files, err)
	}
	for _, file := range files {
		required := regexp.MustCompile(`(?m)^(?:require |\t)github.com/resource-merge/resource-merge (\S+)$`).FindSubmatch(readOptional(t, file))
		if required == nil || string(required[1]) != want {
			t.Errorf("%s requires %q, want %s", file, required, want)
		}
	}
}

// TestTestedVersions: the page about releases names the versions of kpt and kustomize with which the end-to-end tests run.
func TestTestedVersions(t *testing.T) {
	modules, page := string(readOptional(t, "e2e/go.mod")), string(readOptional(t, "docs/releases.md"))
	for program, module := range map[string]string{"kpt": "github.com/kptdev/kpt", "kustomize": "sigs.k8s.io/kustomize/kustomize/v5"} {
		found := regexp.MustCompile(`(?m)^\s+` + regexp.QuoteMeta(module) + ` v(\S+)`).FindStringSubmatch(modules)
		if found == nil || !strings.Contains(page, "| "+program+" | "+found[1]) {
			t.Errorf("docs/releases.md does not say that %s %v is tested", program, found)
		}
	}
}

// TestPackages: the formula of Homebrew and the manifest of krew have the address and the digest of each platform's archive.
func TestPackages(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	dir, archives := t.TempDir(), map[string]string{}
	var sums strings.Builder
	for _, platform := range []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64", "windows_arm64"} {
		name := "resource-merge_" + platform + ".tar.gz"
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
		archives["https://github.com/resource-merge/resource-merge/releases/download/v1.2.3/"+name] = sum
		fmt.Fprintf(&sums, "%s  %s\n%s  %s.cdx.json\n", sum, name, strings.Repeat("0", len(sum)), "resource-merge_"+platform)
	}
	checksums := filepath.Join(dir, "checksums.txt")
	if err := os.WriteFile(checksums, []byte(sums.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(bash, ".github/packages.sh", "v1.2.3", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var plugin struct {
		APIVersion, Kind string
		Spec             struct {
			Version   string
			Platforms []struct {
				Selector         struct{ MatchLabels map[string]string }
				URI, SHA256, Bin string
			}
		}
	}
	if err := yaml.Unmarshal(readOptional(t, filepath.Join(dir, "resource-merge.yaml")), &plugin); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, p := range plugin.Spec.Platforms {
		found[p.URI] = p.SHA256
		if want := "resource-merge_" + p.Selector.MatchLabels["os"] + "_" + p.Selector.MatchLabels["arch"] + "."; !strings.Contains(p.URI, want) {
			t.Errorf("%s is of %v", p.URI, p.Selector.MatchLabels)
		}
	}
	if diff := cmp.Diff(archives, found); diff != "" || plugin.Kind != "Plugin" || plugin.Spec.Version != "v1.2.3" {
		t.Errorf("%+v (-want +got):\n%s", plugin, diff)
	}
	formula := string(readOptional(t, filepath.Join(dir, "resource-merge.rb")))
	for url, sum := range archives {
		if has := strings.Contains(formula, fmt.Sprintf("url %q\n      sha256 %q\n", url, sum)); has == strings.Contains(url, "windows") {
			t.Errorf("%s: %v in\n%s", url, has, formula)
		}
	}
	if opened, closed := len(regexp.MustCompile(`(?m)^ *(class|def|.* do$)`).FindAllString(formula, -1)), len(regexp.MustCompile(`(?m)^ *end$`).FindAllString(formula, -1)); opened != closed {
		t.Errorf("%d blocks, and %d ends:\n%s", opened, closed, formula)
	}
	if err := os.WriteFile(checksums, []byte("0  resource-merge_linux_amd64.tar.gz\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if exec.Command(bash, ".github/packages.sh", "v1.2.3", dir).Run() == nil {
		t.Error("archives are missing, and the script does not fail")
	}
}
