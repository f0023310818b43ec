package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mergeByKpt has kpt update the fork. Its resources get the merge comments that
// kpt pkg get writes, so that kpt knows those whose namespace was replaced.
func mergeByKpt(program string, v versions, dir string) (outcome, error) {
	o := outcome{}
	repo := filepath.Join(dir, "kpt-upstream")
	first, err := tag(repo, "v1", withKptfile(v.origin))
	if err != nil {
		return o, err
	}
	if _, err := tag(repo, "v2", withKptfile(v.upstream)); err != nil {
		return o, err
	}
	files := withKptfile(commented(v.local))
	if files["Kptfile"], err = lock(files["Kptfile"], repo, first); err != nil {
		return o, err
	}
	fork := filepath.Join(dir, "kpt-local")
	if _, err := tag(fork, "v1", files); err != nil {
		return o, err
	}
	cmd := exec.Command(program, "pkg", "update", ".@v2", "--strategy=resource-merge")
	cmd.Dir, cmd.Env = fork, append(gitCommand("").Env, "KPT_CACHE_DIR="+filepath.Join(dir, "kpt-cache"))
	if said, err := cmd.CombinedOutput(); err != nil {
		o.failure = strings.ReplaceAll(string(said), dir+"/", "")
		return o, nil
	}
	if o.files, err = readTree(fork); err != nil {
		return o, err
	}
	if v.local.files["Kptfile"] == "" {
		delete(o.files, "Kptfile")
	}
	items, err := sent(versions{}, files, filepath.Join(dir, "kpt-sent"))
	if err != nil {
		return o, err
	}
	o.before, err = written(items, filepath.Join(dir, "kpt-before"))
	return o, err
}

// tag commits files as the next version of a repository and returns the commit.
func tag(repo, name string, files tree) (string, error) {
	if err := os.MkdirAll(repo, 0o755); err != nil {
		return "", err
	}
	if _, err := git(repo, "init", "--quiet", "--initial-branch=main"); err != nil {
		return "", err
	}
	if _, err := git(repo, "rm", "--quiet", "-r", "--ignore-unmatch", "."); err != nil {
		return "", err
	}
	if err := files.write(repo); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"add", "--all", "--force"}, {"commit", "--quiet", "--allow-empty", "--message=" + name}, {"tag", name}} {
		if _, err := git(repo, args...); err != nil {
			return "", err
		}
	}
	hash, err := git(repo, "rev-parse", "HEAD")
	return strings.TrimSpace(string(hash)), err
}

// withKptfile is a package that kpt takes for one.
func withKptfile(files tree) tree {
	if files["Kptfile"] != "" {
		return files.and(nil)
	}
	return files.and(tree{"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: package\n"})
}

// commented is local's files with merge comments.
func commented(local copyOf) tree {
	files := tree{}
	for name, text := range local.files {
		docs := splitDocuments(text)
		for _, r := range local.resources {
			if r.file != name || r.text == nil || r.origin == nil {
				continue
			}
			for _, d := range docs {
				if d.text == r.text.text {
					d.text = withMergeComment(d.text, r.origin.id)
				}
			}
		}
		files[name] = joinDocuments(docs)
	}
	return files
}

// lock is a Kptfile as it is after kpt got v1 from a repository.
func lock(kptfile, repo, commit string) (string, error) {
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(kptfile), &fields); err != nil {
		return "", fmt.Errorf("reading the Kptfile: %w", err)
	}
	from := map[string]string{"repo": repo, "directory": "/", "ref": "v1"}
	fields["upstream"] = map[string]any{"type": "git", "git": from, "updateStrategy": "resource-merge"}
	fields["upstreamLock"] = map[string]any{"type": "git", "git": map[string]string{"repo": repo, "directory": "/", "ref": "v1", "commit": commit}}
	text, err := yaml.Marshal(fields)
	return string(text), err
}
