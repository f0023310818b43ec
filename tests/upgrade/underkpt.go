package main

import (
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
	before, _, failure, err := eval(kpt, "cat", v.local.files, filepath.Join(dir, "before"))
	if err != nil {
		return o, err
	}
	if failure != "" {
		return mergeByFunction(v, dir)
	}
	o.before = before
	sides := v.origin.under("origin").and(v.upstream.under("upstream"))
	files, results, failure, err := eval(kpt, function, sides.and(v.local.files), filepath.Join(dir, "result"))
	if err != nil || failure != "" {
		o.failure = failure
		return o, err
	}
	o.files, o.told = files, conflictsOf(results)
	twice, _, failure, err := eval(kpt, function, sides.and(files), filepath.Join(dir, "again"))
	o.unstable = failure != "" || !maps.Equal(twice, files)
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
		return nil, nil, strings.Join(strings.Fields(string(said)), " "), nil
	}
	after, err := readTree(filepath.Join(dir, "package"))
	if err != nil {
		return nil, nil, "", err
	}
	for _, name := range after.names() {
		if strings.HasPrefix(name, "origin/") || strings.HasPrefix(name, "upstream/") {
			delete(after, name) // what is no YAML stays
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
