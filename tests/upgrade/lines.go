package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// extraLines finds lines of the result that differ from local's, though nothing
// that stands there changed: each says what local says at the same place, or is
// a comment that no side has added. A resource that local has as origin has it
// comes out as upstream wrote it, and does not count (DESIGN 3.6).
func extraLines(v versions, o outcome) []finding {
	if o.before == nil {
		return nil
	}
	changed, err := changedLines(o.before, o.files)
	if err != nil {
		return nil
	}
	var out []finding
	for _, name := range o.files.names() {
		lines := changed[name]
		if len(lines) == 0 || o.before[name] == "" {
			continue
		}
		untouched := v.origin[name] == v.local.files[name]
		was, is := factsOf(o.before[name]), factsOf(o.files[name])
		text := strings.Split(o.files[name], "\n")
		for _, n := range lines {
			line := text[n-1]
			if untouched || strings.Contains(line, "# kpt-merge:") {
				continue
			}
			if is.says(n, was) || isComment(line) && uncalled(line, name, v, o) {
				out = append(out, finding{extraLine, name + ":" + strconv.Itoa(n), line})
			}
		}
	}
	return out
}

func isComment(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "#") }

// uncalled reports whether the result has a comment more often than local, by
// more than upstream has it more often than origin.
func uncalled(line, name string, v versions, o outcome) bool {
	count := func(t tree) int { return countLine(t[name], strings.TrimSpace(line)) }
	return count(o.files)-count(o.before) > max(0, count(v.upstream)-count(v.origin))
}

func countLine(text, line string) int {
	n := 0
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) == line {
			n++
		}
	}
	return n
}

// changedLines are the numbers of the lines that the second tree's files have
// anew.
func changedLines(before, after tree) (map[string][]int, error) {
	dir, err := os.MkdirTemp("", "upgrade-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := before.write(filepath.Join(dir, "a")); err != nil {
		return nil, err
	}
	if err := after.write(filepath.Join(dir, "b")); err != nil {
		return nil, err
	}
	out, err := gitCommand(dir, "-c", "core.quotePath=false", "diff", "--no-index", "--no-color", "-U0", "a", "b").Output()
	if err != nil && len(out) == 0 { // git exits with 1 where there is a difference
		return nil, err
	}
	return readHunks(string(out)), nil
}

func readHunks(diff string) map[string][]int {
	hunk := regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)
	lines, name := map[string][]int{}, ""
	for line := range strings.Lines(diff) {
		if file, found := strings.CutPrefix(strings.TrimSpace(line), "+++ b/b/"); found {
			name = file
			continue
		}
		m := hunk.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		start, _ := strconv.Atoi(m[1])
		n := 1
		if m[2] != "" {
			n, _ = strconv.Atoi(m[2])
		}
		for i := range n {
			lines[name] = append(lines[name], start+i)
		}
	}
	return lines
}

// facts are what a file says, and on which lines.
type facts struct {
	all    map[string]int
	onLine map[int][]string
}

func factsOf(text string) facts {
	f := facts{map[string]int{}, map[int][]string{}}
	above := 0
	for _, d := range splitDocuments(text) {
		above += strings.Count(d.head, "\n")
		var doc yaml.Node
		if yaml.Unmarshal([]byte(d.text), &doc) == nil && len(doc.Content) > 0 {
			name := ""
			if r, err := readFile("", d.text); err == nil && len(r) > 0 {
				name = r[0].id.String()
			}
			f.read(doc.Content[0], nil, name, above)
		}
		above += strings.Count(d.text, "\n")
	}
	return f
}

// read notes what a value says: a scalar its text, a collection that it is one.
func (f facts) read(n, key *yaml.Node, path string, above int) {
	line := n.Line
	if key != nil {
		line = key.Line
	}
	fact := path + "\x00" + strconv.Itoa(int(n.Kind)) + n.ShortTag() + n.Value + "\x00" + n.LineComment
	if key != nil && !strings.Contains(key.LineComment, "kpt-merge:") {
		fact += key.LineComment
	}
	f.all[fact]++
	f.onLine[line+above] = append(f.onLine[line+above], fact)
	if n.Kind == yaml.ScalarNode {
		for l := line + 1; l <= lastLine(n); l++ {
			f.onLine[l+above] = append(f.onLine[l+above], fact)
		}
	}
	f.below(n, path, above)
}

func (f facts) below(n *yaml.Node, path string, above int) {
	for i, c := range n.Content {
		switch {
		case n.Kind == yaml.MappingNode && i%2 == 1:
			f.read(c, n.Content[i-1], path+fieldStep(n.Content[i-1].Value), above)
		case n.Kind == yaml.SequenceNode:
			step := "[]"
			if name := field(c, "name").value; name != nil {
				step = "[" + name.Value + "]"
			}
			f.read(c, nil, path+step, above)
		}
	}
}

// says reports whether all that stands on a line is among other facts.
func (f facts) says(line int, other facts) bool {
	for _, fact := range f.onLine[line] {
		if other.all[fact] == 0 {
			return false
		}
	}
	return len(f.onLine[line]) > 0
}
