// Package caselist reads the cases of testdata as ResourceLists, for the tests of this module and of the ones beside it.
package caselist

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"
)

// Case is three versions of resources, or a whole ResourceList, and what comes out.
type Case struct {
	Name  string            // the path below testdata, such as keyed-lists/worked-example
	Files map[string][]byte // by name, such as local.yaml
}

// Read returns the cases below a directory, such as testdata, in the order of their names. A case is an archive
// NAME.txtar that has a local.yaml or an input.yaml; the comment of the archive is its README.md. A file that an archive
// cannot hold byte for byte, and a file that a command reads from the disk, stands beside it in a directory NAME.
func Read(root string) ([]Case, error) {
	files := map[string]map[string][]byte{}
	add := func(dir, name string, text []byte) error {
		if files[dir] == nil {
			files[dir] = map[string][]byte{}
		}
		if files[dir][name] != nil {
			return fmt.Errorf("%s/%s: %s is in the archive and beside it: remove one", root, dir, name)
		}
		files[dir][name] = text
		return nil
	}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		dir, isArchive := strings.CutSuffix(filepath.ToSlash(rel), ".txtar")
		if !isArchive {
			return add(path.Dir(dir), path.Base(dir), text)
		}
		archive := txtar.Parse(text)
		if len(archive.Comment) > 0 {
			err = add(dir, "README.md", archive.Comment)
		}
		for _, f := range archive.Files {
			err = errors.Join(err, add(dir, f.Name, slices.Clip(f.Data)))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if c := (Case{name, files[name]}); c.Files["local.yaml"] != nil || c.Files["input.yaml"] != nil {
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("there is no case in %s", root)
	}
	return cases, nil
}

// Write writes a file of a case below a directory, such as testdata: into its archive, or beside it if the archive cannot
// hold it or the case has none.
func (c Case) Write(root, name string, text []byte) error {
	beside := filepath.Join(root, c.Name, name)
	was, err := os.ReadFile(filepath.Join(root, c.Name+".txtar"))
	if errors.Is(err, fs.ErrNotExist) {
		return os.WriteFile(beside, text, 0o644)
	}
	if err != nil {
		return err
	}
	archive := txtar.Parse(was)
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
	switch {
	case !fits(text):
		archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
		err = errors.Join(os.MkdirAll(filepath.Dir(beside), 0o755), os.WriteFile(beside, text, 0o644))
	case i >= 0:
		archive.Files[i].Data = text
	default:
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: text})
		if err = os.Remove(beside); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return errors.Join(err, os.WriteFile(filepath.Join(root, c.Name+".txtar"), txtar.Format(archive), 0o644))
}

// fits reports whether an archive can hold a text byte for byte, in a form that editors leave as it is: it ends with a
// line break, and has no carriage return and no line that looks like the head of a file.
func fits(text []byte) bool {
	again := txtar.Parse(txtar.Format(&txtar.Archive{Files: []txtar.File{{Name: "a", Data: text}}}))
	return len(again.Files) == 1 && bytes.Equal(again.Files[0].Data, text) && !bytes.ContainsRune(text, '\r')
}

// Input returns the ResourceList of a case: input.yaml, or the list of local.yaml, origin.yaml and upstream.yaml with
// config.yaml as its function config. The documents of origin.yaml and upstream.yaml get a merge-source annotation,
// unless the config has sources.
func (c Case) Input() ([]byte, error) {
	if c.Files["input.yaml"] != nil {
		return bytes.Clone(c.Files["input.yaml"]), nil
	}
	config := c.Files["config.yaml"]
	var b bytes.Buffer
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")
	if config != nil {
		b.WriteString("functionConfig:\n" + Indent(string(config), "  ", "  "))
	}
	b.WriteString("items:\n")
	for _, side := range []string{"local", "origin", "upstream"} {
		for _, doc := range Documents(string(c.Files[side+".yaml"])) {
			if side != "local" && !bytes.Contains(config, []byte("sources:")) {
				annotated, err := Annotate(doc, side)
				if err != nil {
					return nil, fmt.Errorf("%s: %s.yaml: %w", c.Name, side, err)
				}
				doc = annotated
			}
			b.WriteString(Indent(doc, "- ", "  "))
		}
	}
	return b.Bytes(), nil
}

// Documents splits a stream at its `---` lines.
func Documents(stream string) (docs []string) {
	for _, doc := range strings.Split("\n"+stream, "\n---\n") {
		if doc = strings.TrimLeft(doc, "\n"); strings.TrimSpace(doc) != "" {
			docs = append(docs, strings.TrimRight(doc, "\n")+"\n")
		}
	}
	return docs
}

// Indent puts a prefix before the first line of a text, and another before the others that are not empty.
func Indent(text, first, rest string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		switch {
		case i == 0:
			lines[i] = first + line
		case line != "":
			lines[i] = rest + line
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// Annotate puts a document on a side: in its text, so that its layout stays, or written anew if the text is not plain.
func Annotate(doc, side string) (string, error) {
	if text := marked(doc, side); text != "" {
		return text, nil
	}
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(doc), &n); err != nil {
		return "", err
	}
	mark := MapField(MapField(n.Content[0], "metadata"), "annotations")
	mark.Content = append(mark.Content,
		&yaml.Node{Kind: yaml.ScalarNode, Value: "config.kubernetes.io/merge-source"},
		&yaml.Node{Kind: yaml.ScalarNode, Value: side})
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	err := e.Encode(&n)
	return b.String(), err
}

// marked puts a document on a side in its text; "" if the text is not plain enough.
func marked(doc, side string) string {
	lines := strings.SplitAfter(doc, "\n")
	start := slices.IndexFunc(lines, func(l string) bool { return l == "metadata:\n" || strings.HasPrefix(l, "metadata: #") })
	if start < 0 || !strings.HasPrefix(lines[start+1], "  ") || lines[start+1][2] == ' ' {
		return ""
	}
	end, text := start+1, "  annotations:\n"
	for ; strings.HasPrefix(lines[end], "  "); end++ {
		switch {
		case lines[end] == "  annotations:\n":
			text = ""
		case strings.HasPrefix(lines[end], "  annotations") || text == "" && !strings.HasPrefix(lines[end], "    "):
			return ""
		}
	}
	return strings.Join(slices.Insert(lines, end, text+"    config.kubernetes.io/merge-source: "+side+"\n"), "")
}

// MapField returns a field of a map, made if it is missing.
func MapField(m *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i+1]
		}
	}
	v := &yaml.Node{Kind: yaml.MappingNode}
	m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, v)
	return v
}
