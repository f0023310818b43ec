package main

import (
	"cmp"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
)

// mergeUnderKpt has kpt fn eval run the function over a package with origin and
// upstream in it. The program cat in its place shows what kpt alone does. A
// package that kpt does not take, because a file of it is no resource, is merged
// without kpt.
func mergeUnderKpt(kpt, function string, v versions, dir string) (outcome, error) {
	var o outcome
	sides := v.origin.under("origin").and(v.upstream.under("upstream"))
	if _, _, failure, err := eval(kpt, "cat", sides.and(v.local.files), filepath.Join(dir, "all")); err != nil || failure != "" {
		return withoutKpt(v, dir, failure, err)
	}
	before, _, _, err := eval(kpt, "cat", v.local.files, filepath.Join(dir, "before"))
	if err != nil {
		return o, err
	}
	o.before = before
	files, results, failure, err := eval(kpt, function, sides.and(v.local.files), filepath.Join(dir, "result"))
	if err != nil || failure != "" {
		o.failure = failure
		return o, err
	}
	o.files, o.told = files, conflictsOf(results)
	twice, _, failure, err := eval(kpt, function, sides.and(files), filepath.Join(dir, "again"))
	o.unstable = failure != "" || !stable(files, twice)
	return o, err
}

// stable reports whether a second merge changed nothing but empty lines, which
// kpt drops from comments by itself.
func stable(once, twice tree) bool {
	return maps.EqualFunc(once, twice, func(a, b string) bool { return withoutEmptyLines(a) == withoutEmptyLines(b) })
}

func withoutEmptyLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(line)
		}
	}
	return b.String()
}

// withoutKpt merges what kpt does not take.
func withoutKpt(v versions, dir, failure string, err error) (outcome, error) {
	if err != nil {
		return outcome{}, err
	}
	o, err := mergeByFunction(v, dir)
	o.aside = "ran without kpt, which does not take the package: " + failure
	return o, err
}

// eval runs a function by kpt fn eval over a package. It returns the files, the
// results, and what kpt said if it failed.
func eval(kpt, function string, files tree, dir string) (tree, framework.Results, string, error) {
	if err := files.write(filepath.Join(dir, "package")); err != nil {
		return nil, nil, "", err
	}
	cmd := exec.Command(kpt, "fn", "eval", "package", "--exec", function, "--results-dir", "results", "--truncate-output=false")
	cmd.Dir, cmd.Env = dir, gitCommand("").Env
	if said, err := cmd.CombinedOutput(); err != nil {
		_, reason, _ := strings.Cut(string(said), "Error: ")
		return nil, nil, strings.Join(strings.Fields(cmp.Or(reason, string(said))), " "), nil
	}
	after, err := readTree(filepath.Join(dir, "package"))
	if err != nil {
		return nil, nil, "", err
	}
	for _, name := range after.names() {
		if strings.HasPrefix(name, "origin/") || strings.HasPrefix(name, "upstream/") {
			delete(after, name) // what is not YAML stays
		}
	}
	results, err := readResults(filepath.Join(dir, "results", "results.yaml"))
	return after, results, "", err
}

// readResults reads the file that kpt leaves of the results.
func readResults(file string) (framework.Results, error) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []struct {
			Results framework.Results `yaml:"results"`
		} `yaml:"items"`
	}
	if err := yaml.Unmarshal(text, &list); err != nil || len(list.Items) == 0 {
		return nil, err
	}
	return list.Items[0].Results, nil
}
