package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/resource-merge/resource-merge/review"
)

// clone is a bare clone.
type clone struct {
	dir   string
	in    io.WriteCloser
	out   *bufio.Reader
	blobs map[string][]byte
	// tags are those of the clone, once they were asked for.
	tags []string
}

func open(dir string) (*clone, error) {
	cmd := exec.Command("git", "--git-dir", dir, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &clone{dir, in, bufio.NewReaderSize(out, 1<<16), map[string][]byte{}, nil}, cmd.Start()
}

func (c *clone) git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"--git-dir", c.dir}, args...)...).Output()
	return string(out), err
}

// read returns a blob.
func (c *clone) read(id string) ([]byte, error) {
	if data, found := c.blobs[id]; found {
		return data, nil
	}
	if _, err := fmt.Fprintln(c.in, id); err != nil {
		return nil, err
	}
	head, err := c.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(head)
	if len(fields) != 3 {
		return nil, fmt.Errorf("%s: %s", id, strings.TrimSpace(head))
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return nil, err
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(c.out, data); err != nil {
		return nil, err
	}
	c.blobs[id] = data[:size]
	return data[:size], nil
}

// files returns the files of a revision, of a directory if it is not "".
func (c *clone) files(revision, dir string) (review.Files, error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree", revision}
	if dir != "" {
		args = append(args, "--", dir)
	}
	out, err := c.git(args...)
	ids := map[string]string{}
	for entry := range strings.SplitSeq(out, "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		if fields := strings.Fields(about); len(fields) == 3 && strings.HasPrefix(fields[0], "100") {
			ids[name] = fields[2]
		}
	}
	return review.Files{IDs: ids, Read: func(name string) ([]byte, error) {
		data, err := c.read(ids[name])
		if err != nil && strings.Contains(err.Error(), "missing") {
			return nil, nil // a large file that the clone lacks
		}
		return data, err
	}}, err
}

// bumping returns the commits of the first parents that change a line with a version of a chart or base, in any YAML file or in kustomizations.
func (c *clone) bumping(most int, kustomizations bool) (map[string]bool, error) {
	names := []string{"*.yaml", "*.yml"}
	if kustomizations {
		names = []string{"*kustomization.yaml", "*kustomization.yml"}
	}
	out, err := c.git(append([]string{"log", "--first-parent", "-m", "-n", strconv.Itoa(most), "--format=%H", `-G^[- ]*"?(version|targetRevision|tag|ref|chart)"?: |[?&](ref|version)=|/v?[0-9]+[.][0-9]+[^ ]*ya?ml`, "--"}, names...)...)
	all := map[string]bool{}
	for id := range strings.FieldsSeq(out) {
		all[id] = true
	}
	return all, err
}

// commit is one of a history.
type commit struct {
	id, subject string
	when        time.Time
	files       []string
}

// history returns the newest commits of the first parents, the newest first.
func (c *clone) history(most int) (all []commit, err error) {
	out, err := c.git("log", "--first-parent", "-m", "--name-only", "--no-renames", "-n", strconv.Itoa(most), "--format=%x00%H%x09%ct%x09%s")
	for record := range strings.SplitSeq(out, "\x00") {
		lines := strings.Split(strings.TrimSpace(record), "\n")
		head := strings.SplitN(lines[0], "\t", 3)
		if len(head) < 3 {
			continue
		}
		seconds, err := strconv.ParseInt(head[1], 10, 64)
		if err != nil {
			return nil, err
		}
		one := commit{id: head[0], subject: head[2], when: time.Unix(seconds, 0)}
		for _, name := range lines[1:] {
			if name != "" {
				one.files = append(one.files, name)
			}
		}
		all = append(all, one)
	}
	return all, err
}
