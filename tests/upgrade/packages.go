package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// pkg is a directory of a repository at two revisions.
type pkg struct {
	name, repo       string
	origin, upstream string
	dir              string
}

// readPackages reads a table of packages: name, OWNER/NAME of the repository,
// origin, upstream and directory, parted by tabs; # begins a comment. The
// repositories lie below mirror as OWNER/NAME or OWNER/NAME.git.
func readPackages(file, mirror string) ([]pkg, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []pkg
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 5 {
			return nil, fmt.Errorf("%s:%d: want 5 cells, found %d", file, i+1, len(cells))
		}
		repo, err := inMirror(mirror, cells[1])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		all = append(all, pkg{name: cells[0], repo: repo, origin: cells[2], upstream: cells[3], dir: cells[4]})
	}
	return all, nil
}

// inMirror is the repository's directory below mirror.
func inMirror(mirror, name string) (string, error) {
	if mirror == "" {
		return "", fmt.Errorf("--packages needs --mirror, the directory with a clone of %s", name)
	}
	for _, suffix := range []string{"", ".git"} {
		dir := filepath.Join(mirror, filepath.FromSlash(name)+suffix)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no clone of %s in %s: git clone https://github.com/%s %s", name, mirror, name, filepath.Join(mirror, name))
}
