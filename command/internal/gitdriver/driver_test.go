package gitdriver_test

import (
	"strings"
	"testing"
)

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: web
        image: nginx:1
        env:
        - name: A
          value: "1"
`

// editedFile is an unmerged file that was edited since git stopped.
func editedFile(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(deployment) }

var (
	ours   = editedFile("replicas: 1", "replicas: 2", "nginx:1", "nginx:2")
	theirs = editedFile("replicas: 1", "replicas: 3", "        env:\n", "        imagePullPolicy: Always\n        env:\n")
)

// TestMerge: the driver merges if lines collide and fields do not. If fields collide, only they
// have markers, in git's style.
func TestMerge(t *testing.T) {
	sections := map[string]string{
		"merge":  "<<<<<<< HEAD\n  replicas: 2\n=======\n  replicas: 3\n>>>>>>> theirs\n",
		"diff3":  "<<<<<<< HEAD\n  replicas: 2\n||||||| BASE\n  replicas: 1\n=======\n  replicas: 3\n>>>>>>> theirs\n",
		"zdiff3": "<<<<<<< HEAD\n  replicas: 2\n||||||| BASE\n  replicas: 1\n=======\n  replicas: 3\n>>>>>>> theirs\n",
	}
	for _, style := range []string{"merge", "diff3", "zdiff3"} {
		t.Run(style, func(t *testing.T) {
			r := newRepository(t)
			r.git("config", "merge.conflictStyle", style)
			r.branches(map[string]string{"a.yaml": deployment}, map[string]string{"a.yaml": ours}, map[string]string{"a.yaml": theirs})
			r.fails("merge", "theirs")
			merged := editedFile("  replicas: 1\n", sections[style], "nginx:1", "nginx:2", "        env:\n", "        imagePullPolicy: Always\n        env:\n")
			if got := r.read("a.yaml"); relabelled(got) != relabelled(merged) {
				t.Errorf("got\n%s\nwant\n%s", got, merged)
			}
			if got := r.read("a.yaml"); !strings.Contains(got, "<<<<<<< HEAD\n") || !strings.Contains(got, ">>>>>>> theirs\n") {
				t.Errorf("git merge has its labels with every version of git:\n%s", got)
			}
			if out := r.git("ls-files", "--unmerged"); strings.Count(out, "\n") != 3 {
				t.Errorf("the index has\n%s", out)
			}
		})
	}
}

// relabelled returns a text without the labels of markers: git before 2.44 does not pass all of them.
func relabelled(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "<<<<<<<") || strings.HasPrefix(line, "|||||||") || strings.HasPrefix(line, ">>>>>>>") {
			line = line[:7] + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// TestCommands: the driver merges whatever git's command is.
func TestCommands(t *testing.T) {
	clean := editedFile("nginx:1", "nginx:2", "        env:\n", "        imagePullPolicy: Always\n        env:\n")
	mine, other := editedFile("nginx:1", "nginx:2"), editedFile("        env:\n", "        imagePullPolicy: Always\n        env:\n")
	for name, run := range map[string]func(repository){
		"merge":       func(r repository) { r.git("merge", "--no-edit", "theirs") },
		"rebase":      func(r repository) { r.git("rebase", "theirs") },
		"cherry-pick": func(r repository) { r.git("cherry-pick", "theirs") },
		"stash pop": func(r repository) {
			r.git("reset", "--quiet", "--hard", "main~1")
			r.write("a.yaml", mine)
			r.git("stash")
			r.git("merge", "--quiet", "theirs")
			r.git("stash", "pop")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			r.branches(map[string]string{"a.yaml": deployment}, map[string]string{"a.yaml": mine}, map[string]string{"a.yaml": other})
			run(r)
			if got := r.read("a.yaml"); got != clean {
				t.Errorf("got\n%s\nwant\n%s", got, clean)
			}
		})
	}
}

// TestMergeMisplaced: if git merges lines without a conflict but into the wrong document, the
// driver reports it and merges the fields.
func TestMergeMisplaced(t *testing.T) {
	r := newRepository(t)
	r.branches(map[string]string{"a.yaml": settings("a", "info", "x") + "---\n" + settings("b", "info", "y")},
		map[string]string{"a.yaml": settings("a", "debug", "x") + "---\n" + settings("b", "info", "y")},
		map[string]string{"a.yaml": settings("b", "info", "y") + "---\n" + settings("a", "info", "z")})
	out, err := r.try("merge", "--no-edit", "theirs")
	if want := "a.yaml: git merges its lines without a conflict, but not as both sides changed data.level of ConfigMap a; its fields are merged instead"; err != nil || !strings.Contains(out, want) {
		t.Errorf("%v:\n%s", err, out)
	}
	if got, want := r.read("a.yaml"), settings("a", "debug", "z")+"---\n"+settings("b", "info", "y"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestMergeMovedNamespaces: ours gave two documents of one kind another namespace, and uses its anchor. That git merges
// the lines is right, though each document has another identity.
func TestMergeMovedNamespaces(t *testing.T) {
	documents := func(namespace, target, prune string) string {
		var all []string
		for _, name := range []string{"shop", "shop-tls"} {
			all = append(all, "kind: Kustomization\napiVersion: kustomize.toolkit.fluxcd.io/v1\nmetadata:\n  name: &app "+name+"\n  namespace: "+namespace+
				"\nspec:\n  commonMetadata:\n    labels:\n      app.kubernetes.io/name: *app\n  interval: 30m\n  path: ./apps/"+name+"\n  prune: "+prune+
				"\n  sourceRef:\n    kind: GitRepository\n    name: flux-system\n    namespace: flux-system\n  targetNamespace: "+target+"\n  timeout: 5m\n  wait: false\n")
		}
		return strings.Join(all, "---\n")
	}
	r := newRepository(t)
	want := documents("&namespace shop", "*namespace", "false")
	r.branches(map[string]string{"a.yaml": documents("flux-system", "shop", "true")}, map[string]string{"a.yaml": want},
		map[string]string{"a.yaml": documents("flux-system", "shop", "false")})
	if out, err := r.try("merge", "--no-edit", "theirs"); err != nil || strings.Contains(out, "resource-merge:") {
		t.Errorf("%v:\n%s", err, out)
	}
	if got := r.read("a.yaml"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestRerere: equal versions give equal bytes, so git recognises a conflict and resolves it as the
// user did.
func TestRerere(t *testing.T) {
	r := newRepository(t)
	r.git("config", "rerere.enabled", "true")
	r.branches(map[string]string{"a.yaml": deployment}, map[string]string{"a.yaml": ours}, map[string]string{"a.yaml": theirs})
	r.fails("merge", "theirs")
	resolved := editedFile("replicas: 1", "replicas: 5", "nginx:1", "nginx:2", "        env:\n", "        imagePullPolicy: Always\n        env:\n")
	r.commit("merged", map[string]string{"a.yaml": resolved})
	r.git("reset", "--quiet", "--hard", "HEAD~1")
	if out := r.fails("merge", "theirs"); !strings.Contains(out, "using previous resolution") {
		t.Errorf("git says\n%s", out)
	}
	if got := r.read("a.yaml"); got != resolved {
		t.Errorf("got\n%s", got)
	}
}

// TestSolve merges the files that git left in conflict without the driver.
func TestSolve(t *testing.T) {
	mine, other := editedFile("nginx:1", "nginx:2"), editedFile("        env:\n", "        imagePullPolicy: Always\n        env:\n")
	for name, solve := range map[string]func(r repository){
		"solve": func(r repository) { r.git("-c", "alias.solve=!resource-merge git solve", "solve") },
		"mergetool": func(r repository) {
			r.git("mergetool", "--tool=resource-merge", "--no-prompt", "a.yaml")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			r.write(".gitattributes", "")
			r.branches(map[string]string{"a.yaml": deployment, "b.yaml": deployment}, map[string]string{"a.yaml": mine, "b.yaml": mine}, map[string]string{"a.yaml": other})
			r.fails("merge", "theirs")
			solve(r)
			if got, want := r.read("a.yaml"), editedFile("nginx:1", "nginx:2", "        env:\n", "        imagePullPolicy: Always\n        env:\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if out := r.git("ls-files", "--unmerged"); out != "" {
				t.Errorf("the index has\n%s", out)
			}
		})
	}
}

// TestSolveLeaves: files that were edited since are not overwritten, and files with colliding
// fields remain unmerged in the index.
func TestSolveLeaves(t *testing.T) {
	r := newRepository(t)
	r.write(".gitattributes", "")
	both := func(text string) map[string]string { return map[string]string{"a.yaml": text, "b.yaml": text} }
	r.branches(both(deployment), both(ours), both(theirs))
	r.fails("merge", "theirs")
	r.write("b.yaml", "mine: true\n")
	out, err := r.try("-c", "alias.solve=!resource-merge git solve", "solve")
	if err == nil || !strings.Contains(out, "a.yaml: 1 conflict left") || !strings.Contains(out, "b.yaml: it has no conflict markers any more") {
		t.Errorf("%v:\n%s", err, out)
	}
	if got := r.read("b.yaml"); got != "mine: true\n" {
		t.Errorf("b.yaml is\n%s", got)
	}
	if got := r.read("a.yaml"); strings.Count(got, "<<<<<<<") != 1 || !strings.Contains(got, "imagePullPolicy") || !strings.Contains(got, "nginx:2") {
		t.Errorf("a.yaml is\n%s", got)
	}
}
