package e2e

import "testing"

// TestFailures runs over packages that cannot be merged: kpt fails, the user sees why,
// and every file is as it was (rules/function: failure).
func TestFailures(t *testing.T) {
	fork, web := configMap("fork"), configMap("web")
	tests := map[string]struct {
		files   tree
		args    []string
		message string
	}{
		"no upstream": {
			files:   tree{"web.yaml": fork, "origin/web.yaml": web},
			message: "no upstream items",
		},
		"no origin": {
			files:   tree{"web.yaml": fork, "upstream/web.yaml": web},
			message: "no origin items",
		},
		"unknown setting": {
			files:   tree{"web.yaml": fork, "origin/web.yaml": web, "upstream/web.yaml": web},
			args:    []string{"--", "upstream-folder=upstream"},
			message: "upstream-folder",
		},
		"unknown side": {
			files: tree{
				"web.yaml":          fork,
				"origin/web.yaml":   web,
				"upstream/web.yaml": web,
				"side.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n    name: side\n    annotations:\n" +
					"        config.kubernetes.io/merge-source: downstream\n",
			},
			message: "downstream",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := test.files.write(t)
			eval := []string{"fn", "eval", ".", "--exec", "resource-merge"}
			fail(t, test.message, dir, "kpt", append(eval, test.args...)...)
			test.files.check(t, dir)
		})
	}
}

// TestRenderFailure is the same in a pipeline: the second run of a step that
// does not keep its sides.
func TestRenderFailure(t *testing.T) {
	files := tree{
		"Kptfile":  "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: fork\npipeline:\n  mutators:\n    - exec: resource-merge\n",
		"web.yaml": configMap("fork"),
	}
	dir := files.write(t)
	fail(t, "no upstream items", dir, "kpt", "fn", "render", ".", "--allow-exec")
	files.check(t, dir)
}

// TestKustomizeFailure is the same in a build, which then prints nothing.
func TestKustomizeFailure(t *testing.T) {
	files := packageOf(t, "kustomize-build")
	delete(files, "upstream.yaml")
	files["kustomization.yaml"] = "resources: [local.yaml]\ntransformers: [merge.yaml]\n"
	fail(t, "no upstream items", files.write(t), "kustomize", "build", "--enable-alpha-plugins", "--enable-exec", ".")
}

// configMap is one in a layout that shows if the file was written again.
func configMap(name string) string {
	return `# About it.

apiVersion: v1
kind: ConfigMap
metadata: # kpt-merge: /web
    name: ` + name + `

data:
    a: "1"
`
}
