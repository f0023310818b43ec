// Package caselist reads the cases of testdata as ResourceLists, for the tests of this module and of the ones beside it.
package caselist

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Dirs returns the directories of the cases below a directory, such as testdata.
func Dirs(root string) (dirs []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == "local.yaml" || d.Name() == "input.yaml" {
			dirs = append(dirs, filepath.Dir(path))
		}
		return nil
	})
	if err == nil && len(dirs) == 0 {
		err = fmt.Errorf("there is no case in %s", root)
	}
	return dirs, err
}

// Input returns the ResourceList of the case in a directory: input.yaml, or the list of local.yaml, origin.yaml and
// upstream.yaml with config.yaml as its function config. The documents of origin.yaml and upstream.yaml get a
// merge-source annotation, unless the config has sources.
func Input(dir string) ([]byte, error) {
	texts := map[string][]byte{}
	for _, name := range []string{"input", "config", "local", "origin", "upstream"} {
		text, err := os.ReadFile(filepath.Join(dir, name+".yaml"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		texts[name] = text
	}
	if texts["input"] != nil {
		return texts["input"], nil
	}
	var b bytes.Buffer
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")
	if texts["config"] != nil {
		b.WriteString("functionConfig:\n" + Indent(string(texts["config"]), "  ", "  "))
	}
	b.WriteString("items:\n")
	for _, side := range []string{"local", "origin", "upstream"} {
		for _, doc := range Documents(string(texts[side])) {
			if side != "local" && !bytes.Contains(texts["config"], []byte("sources:")) {
				annotated, err := Annotate(doc, side)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", filepath.Join(dir, side+".yaml"), err)
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
