package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// oddFile is a file of a package in unusual style, with origin's text if it differs from
// local's, and with upstream's text.
type oddFile struct {
	local, origin, upstream string
	mode                    os.FileMode
	// to is the mode upstream changed it to; 0 is the same.
	to os.FileMode
}

// oddPackage is a package that is written in every way that there is.
func oddPackage() map[string]oddFile {
	return map[string]oddFile{
		"deploy/web.yaml": {
			local: "# Copyright The Shop.\n# Licensed to nobody.\n\n---\n# The web.\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n    name:   web     # ours\n\nspec:\n    replicas:    7\n" +
				"    template:\n        spec:\n            containers:\n              - name: web\n                image: 'mirror/web:1'  # pinned\n                args: [ \"a\",\n                        \"b\" ]\n" +
				"--- # between\n# A service.\napiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  ports:\n  - {port: 80}\n...\n",
			origin:   "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: web:1\n        args: [a, b]\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n  - port: 80\n",
			upstream: "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: web:2\n        args: [a, b]\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n  - port: 80\n",
		},
		"crlf.yaml": {
			local:    "apiVersion: v1\r\nkind: ConfigMap\r\nmetadata:\r\n  name: crlf\r\ndata:\r\n  a: \"1\"   # one\r\n  own: \"1\"\r\n",
			origin:   "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: crlf\ndata:\n  a: \"1\"\n",
			upstream: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: crlf\ndata:\n  a: \"2\"\n  b: \"1\"\n",
		},
		"open.yaml": {
			local:    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: open\ndata:\n  a: \"1\"",
			upstream: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: open\ndata:\n  a: \"2\"",
		},
		"values.yaml": {
			local:    "# Values.\nimage:\n    tag:   \"1\"\n\nreplicas: 3  # ours\n",
			origin:   "image:\n  tag: \"1\"\nreplicas: 1\n",
			upstream: "image:\n  tag: \"2\"\nreplicas: 1\n",
		},
		"templates/web.yaml": {
			local:    "kind: {{ .Values.kind }}\n# ours\n\nspec:\n  a: {{ .a }}\n  b: 1\n",
			origin:   "kind: {{ .Values.kind }}\n\nspec:\n  a: {{ .a }}\n  b: 1\n",
			upstream: "kind: {{ .Values.kind }}\n\nspec:\n  a: {{ .a }}\n  b: 2\n",
		},
		"dashboard.json": {
			local:    "{\n    \"title\": \"Ours\",\n    \"panels\": [ {\"id\": 1} ],\n    \"refresh\": \"5s\"\n}\n",
			origin:   "{\n  \"title\": \"Shop\",\n  \"panels\": [{\"id\": 1}],\n  \"refresh\": \"5s\"\n}\n",
			upstream: "{\n  \"title\": \"Shop\",\n  \"panels\": [{\"id\": 1}],\n  \"refresh\": \"9s\"\n}\n",
		},
		"run.sh":    {local: "#!/bin/sh\necho one\ndate\n\necho ours\n", origin: "#!/bin/sh\necho one\ndate\n", upstream: "#!/bin/sh\necho two\ndate\n", mode: 0o755},
		"build.sh":  {local: "#!/bin/sh\n", upstream: "#!/bin/sh\n", mode: 0o644, to: 0o755},
		"latin1.sh": {local: "#!/bin/sh\n# f\xfcr uns\necho one\ndate\necho \xe4\n", origin: "#!/bin/sh\necho one\ndate\necho \xe4\n", upstream: "#!/bin/sh\necho one\ndate\necho \xf6\n"},
		"logo.png":  {local: "\x89PNG\x00\x01", upstream: "\x89PNG\x00\x02"},
		"current":   {local: "v1", upstream: "v2", mode: os.ModeSymlink},
		"notes.txt": {local: "ours\r\n\tonly", origin: "none"},
	}
}

// oddDiff is all that the next version changes of the package, as git sees it.
const oddDiff = `build.sh: mode 100644 to 100755
crlf.yaml:
-  a: "1"   # one^M
+  a: "2"   # one^M
+  b: "1"^M
current:
-v1
+v2
dashboard.json:
-    "refresh": "5s"
+    "refresh": "9s"
deploy/web.yaml:
-                image: 'mirror/web:1'  # pinned
+                image: 'mirror/web:2'  # pinned
` + "latin1.sh:\n-echo \xe4\n+echo \xf6\n" + `logo.png: binary
open.yaml:
-  a: "1"
+  a: "2"
run.sh:
-echo one
+echo two
templates/web.yaml:
-  b: 1
+  b: 2
values.yaml:
-    tag:   "1"
+    tag:   "2"
`

// A merge in a package that is written oddly changes the lines that are merged, and
// nothing else: whatever stands in the other lines, between documents and at the end
// stays, and so do modes, links and other files (rules/comments-and-text: unchanged
// text; rules/files: files).
func TestOddPackage(t *testing.T) {
	base := t.TempDir()
	write := func(side string, text func(oddFile) (string, os.FileMode)) {
		for name, f := range oddPackage() {
			file := filepath.Join(base, side, name)
			content, mode := text(f)
			if content == "none" {
				continue
			}
			err := os.MkdirAll(filepath.Dir(file), 0o755)
			switch {
			case err == nil && f.mode&os.ModeSymlink != 0:
				err = os.Symlink(content, file)
			case err == nil:
				err = os.WriteFile(file, []byte(content), 0o644)
				if err == nil && mode != 0 {
					err = os.Chmod(file, mode)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	write("shop", func(f oddFile) (string, os.FileMode) { return f.local, f.mode })
	write("v1", func(f oddFile) (string, os.FileMode) {
		if f.origin != "" {
			return f.origin, f.mode
		}
		return f.local, f.mode
	})
	write("v2", func(f oddFile) (string, os.FileMode) {
		mode := f.mode
		if f.to != 0 {
			mode = f.to
		}
		if f.origin == "none" {
			return f.origin, 0
		}
		return f.upstream, mode
	})
	shop := filepath.Join(base, "shop")
	do(t, shop, "git", "init", "--quiet")
	do(t, shop, "git", "add", "--all")
	do(t, shop, "git", "commit", "--quiet", "--message=ours")
	do(t, base, "resource-merge", "merge", "--origin", "v1", "--upstream", "v2", "--local", "shop", "--write")
	got := summaryOf(do(t, shop, "git", "diff", "-U0", "--no-color", "--no-ext-diff"))
	if got != oddDiff {
		t.Errorf("git diff:\n%s\nwant:\n%s", got, oddDiff)
	}
	if others := do(t, shop, "git", "status", "--porcelain", "--untracked-files=all"); strings.Contains(others, "??") {
		t.Errorf("there are new files:\n%s", others)
	}
}

// A text that is not UTF-8 merges by lines in every command: it is marked, shown as a
// difference byte for byte, and in reports its bytes are numbers (rules/files:
// differences; rules/reports: unseen characters).
func TestTextThatIsNotUTF8(t *testing.T) {
	base := t.TempDir()
	for side, text := range map[string]string{"v1": "a\nb\n\xe4 1\n", "v2": "A\nb\n\xf6 2\n", "own": "a\nb\n\xfc 3\n"} {
		if err := errors.Join(os.Mkdir(filepath.Join(base, side), 0o755), os.WriteFile(filepath.Join(base, side, "run.sh"), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	merge := []string{"merge", "--origin", "v1", "--upstream", "v2", "--local", "own"}
	diff := do(t, base, "resource-merge", append(merge, "--conflicts=upstream", "--diff")...)
	if want := " b\n-\xfc 3\n+\xf6 2\n"; !strings.Contains(diff, want) {
		t.Errorf("the difference is %q, and lacks %q", diff, want)
	}
	cmd := exec.Command("resource-merge", append(merge, "--write", "--force", "--report=json")...)
	cmd.Dir = base
	report, err := cmd.Output()
	if ended := (*exec.ExitError)(nil); !errors.As(err, &ended) || ended.ExitCode() != 1 {
		t.Fatalf("%v, and not the exit code 1", err)
	}
	for _, value := range []string{"\\u00e4 1", "\\u00f6 2", "\\u00fc 3"} {
		if !strings.Contains(string(report), value) {
			t.Errorf("the report lacks %s:\n%s", value, report)
		}
	}
	got, err := os.ReadFile(filepath.Join(base, "own", "run.sh"))
	if want := "A\nb\n<<<<<<< local\n\xfc 3\n=======\n\xf6 2\n>>>>>>> upstream\n"; err != nil || string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// do runs a program that must succeed, with an identity for git, and gives its stdout.
func do(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v", program, strings.Join(args, " "), err)
	}
	return string(out)
}

// summaryOf returns a difference without the numbers of its lines.
func summaryOf(diff string) string {
	var out strings.Builder
	name, old := "", ""
	begin := func(what string) {
		out.WriteString(name + ":" + what + "\n")
	}
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			_, name, _ = strings.Cut(line, " b/")
		case strings.HasPrefix(line, "old mode "):
			old = strings.TrimPrefix(line, "old mode ")
		case strings.HasPrefix(line, "new mode "):
			begin(" mode " + old + " to " + strings.TrimPrefix(line, "new mode "))
		case strings.HasPrefix(line, "Binary files"):
			begin(" binary")
		case strings.HasPrefix(line, "+++ "):
			begin("")
		case strings.HasPrefix(line, "--- "):
		case strings.HasPrefix(line, "+"), strings.HasPrefix(line, "-"):
			out.WriteString(strings.ReplaceAll(line, "\r", "^M") + "\n")
		}
	}
	return out.String()
}
