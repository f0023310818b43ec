package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"
)

// gitCommand is a git command that nothing of the user's configuration reaches.
func gitCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-c", "user.name=upgrade", "-c", "user.email=upgrade@example.com"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	return cmd
}

// git runs git and returns its output.
func git(dir string, args ...string) ([]byte, error) { return output(gitCommand(dir, args...)) }

// output runs a command; its error holds the command's stderr.
func output(cmd *exec.Cmd) ([]byte, error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s: %w: %s", cmd.Args[0], err, strings.TrimSpace(said.String()))
	}
	return out, nil
}

// checkout is the files below a directory of a repository at a revision.
func checkout(repo, revision, dir string) (tree, error) {
	out, err := git(repo, "archive", "--format=tar", revision, "--", dir)
	if err != nil {
		return nil, err
	}
	files := tree{}
	for r := tar.NewReader(bytes.NewReader(out)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		files[below(path.Clean(h.Name), path.Clean(dir))] = string(text)
	}
}

// below is a file's path in a directory that holds it.
func below(file, dir string) string {
	if dir == "." {
		return file
	}
	if rest, found := strings.CutPrefix(file, dir+"/"); found {
		return rest
	}
	return path.Base(file)
}
