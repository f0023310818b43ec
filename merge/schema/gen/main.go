// Gen writes the built-in tables of package schema (rules/schemas: tables of other kinds; rules/schemas: built-in
// kinds), run by go generate in that package's directory.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"go.yaml.in/yaml/v3"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// tables maps the generated files to their generators.
func tables() map[string]func() ([]byte, error) {
	return map[string]func() ([]byte, error){
		"zz_kubernetes.go": generateKubernetes,
		"zz_crds.go":       generateCRDs,
		"../../apply/internal/admission/fields.txt": generateFields,
	}
}

func run() error {
	for target, generate := range tables() {
		code, err := generate()
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		if err := os.WriteFile(target, code, 0o644); err != nil {
			return fmt.Errorf("writing the table: %w", err)
		}
	}
	return nil
}

// generateKubernetes returns the table of Kubernetes' kinds: client-go's schema with the unions and images added to it
// by hand, as rows, as Go.
func generateKubernetes() ([]byte, error) {
	doc, err := readSchema()
	if err != nil {
		return nil, err
	}
	if err := doc.addDocumentedUnions(); err != nil {
		return nil, err
	}
	if err := doc.addUnions(handUnions()); err != nil {
		return nil, err
	}
	kinds, err := doc.kinds()
	if err != nil {
		return nil, err
	}
	if err := markClusterScoped(kinds); err != nil {
		return nil, err
	}
	tags, err := readTags(doc)
	if err != nil {
		return nil, err
	}
	graph, err := newGraph(doc, tags)
	if err != nil {
		return nil, err
	}
	if err := graph.addImages(imageFields()); err != nil {
		return nil, err
	}
	graph.addNames(kinds)
	comment := fmt.Sprintf("// The kinds of this table are those of %s.\n\n", module)
	return render(comment, "kubernetes", kinds, graph.prune(kinds))
}

// module has the schema. Its package is internal and has many dependencies, so its source is parsed.
const module = "k8s.io/client-go@v0.37.2"

// readSchema returns client-go's schema.
func readSchema() (*document, error) {
	dir, err := moduleDir(module)
	if err != nil {
		return nil, err
	}
	text, err := schemaLiteral(filepath.Join(dir, "applyconfigurations", "internal", "internal.go"))
	if err != nil {
		return nil, err
	}
	doc := &document{}
	if err := yaml.Unmarshal([]byte(text), doc); err != nil {
		return nil, fmt.Errorf("decoding the schema: %w", err)
	}
	return doc, nil
}

// downloaded is the output of go mod download for a module. A module that needs a newer Go has only the zip file.
type downloaded struct{ Dir, Zip, Error string }

// download brings a module@version to the module cache if need be.
func download(module string) (downloaded, error) {
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var info downloaded
	if jsonErr := json.Unmarshal(out, &info); err == nil {
		err = jsonErr
	}
	if info.Error != "" {
		err = errors.New(info.Error)
	}
	return info, err
}

// moduleDir returns the directory of a module@version in the module cache.
func moduleDir(module string) (string, error) {
	info, err := download(module)
	if err != nil {
		return "", fmt.Errorf("downloading %s: %w", module, err)
	}
	return info.Dir, nil
}

// schemaLiteral returns the text of the raw string in the file's variable schemaYAML.
func schemaLiteral(path string) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return "", fmt.Errorf("reading the schema: %w", err)
	}
	text, inVariable := "", false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			inVariable = n.Names[0].Name == "schemaYAML"
		case *ast.BasicLit:
			if inVariable && n.Kind == token.STRING && text == "" {
				text = n.Value
			}
		}
		return true
	})
	if text == "" {
		return "", fmt.Errorf("reading the schema: no schemaYAML in %s", path)
	}
	return strconv.Unquote(text)
}
