package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// asRecording returns live objects as documents of YAML, also those of a file with another name, of a stream of JSON and
// of a typed List.
func asRecording(live pkgmerge.Package) (pkgmerge.Package, error) {
	files := slices.Clone(live.Files)
	if len(files) == 1 && len(live.Resources) == 0 {
		switch path.Ext(files[0].Name) {
		case ".yaml", ".yml", ".json":
		default:
			files[0].Name += ".yaml"
		}
	}
	return withDocuments(live, files)
}

// withDocuments returns a package with other files, of which the streams of JSON and the typed Lists become documents.
func withDocuments(p pkgmerge.Package, files []pkgmerge.File) (pkgmerge.Package, error) {
	files = slices.Clone(files)
	for i, f := range files {
		switch path.Ext(f.Name) {
		case ".yaml", ".yml", ".json":
			files[i].Data = withKinds(separated(f.Data))
		}
	}
	if slices.EqualFunc(files, p.Files, func(a, b pkgmerge.File) bool { return a.Name == b.Name && bytes.Equal(a.Data, b.Data) }) {
		return p, nil
	}
	read, err := pkgmerge.NewPackage(files)
	read.Source, read.IsStream = p.Source, p.IsStream
	return read, err
}

// separated returns a stream of JSON, as several runs of kubectl get -o json write it, as documents of YAML; any other text
// unchanged.
func separated(text []byte) []byte {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return text
	}
	var documents [][]byte
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var one json.RawMessage
		switch err := d.Decode(&one); {
		case errors.Is(err, io.EOF) && len(documents) > 1:
			return append(bytes.Join(documents, []byte("\n---\n")), '\n')
		case err != nil:
			return text
		}
		documents = append(documents, one)
	}
}

// withKinds returns documents in which the items of typed Lists have the apiVersion and the kind of the List; other texts
// unchanged.
func withKinds(text []byte) []byte {
	typedList := regexp.MustCompile(`(?m)^\s*"?kind"?:\s*"?[A-Z]\w*List\b`) // such as DeploymentList, whose items have neither apiVersion nor kind
	if !typedList.Match(text) && !regexp.MustCompile(`^\{[^\n]*"kind":\s*"\w+List"`).Match(text) {
		return text
	}
	var out bytes.Buffer
	changed := false
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document yaml.Node
		switch err := yamlnode.Decode(d, &document); {
		case errors.Is(err, io.EOF) && changed && e.Close() == nil:
			return out.Bytes()
		case err != nil || len(document.Content) == 0:
			return text
		}
		list := document.Content[0]
		kind, isList := strings.CutSuffix(yamlnode.Text(yamlnode.Field(list, "kind")), "List")
		items := yamlnode.Field(list, "items")
		for i, item := range yamlnode.Elements(items) {
			if isList && kind != "" && item.Kind == yaml.MappingNode && yamlnode.Field(item, "kind") == nil {
				changed = true
				fields := []*yaml.Node{yamlnode.String("apiVersion"), yamlnode.Field(list, "apiVersion"), yamlnode.String("kind"), yamlnode.String(kind)}
				items.Content[i] = &yaml.Node{Kind: item.Kind, Tag: item.Tag, Content: append(fields, item.Content...)}
			}
		}
		yamlnode.Walk(list, func(n *yaml.Node) { n.Style &^= yaml.FlowStyle })
		if e.Encode(&document) != nil {
			return text
		}
	}
}
