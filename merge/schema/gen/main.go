// Gen writes the built-in tables of package schema (rules/schemas: tables of other
// kinds; rules/schemas: built-in kinds), run by go generate in that package's
// directory.
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

// tables lists the generated files and what generates them.
func tables() map[string]func() ([]byte, error) {
	return map[string]func() ([]byte, error){
		"zz_kubernetes.go": generateKubernetes,
		"zz_crds.go":       generateCRDs,
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

// generateKubernetes returns the table of Kubernetes' kinds: client-go's schema
// with the unions and images added to it by hand, as rows, as Go.
func generateKubernetes() ([]byte, error) {
	doc, err := readSchema()
	if err != nil {
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

// module is where the schema comes from. Its package is internal and its
// dependencies are many, so the source is read and nothing is imported.
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

// downloaded is what go mod download says of a module in the module cache. Of
// one that needs a newer Go than this, only the zip file is there.
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

// schemaLiteral returns the text of the one raw string in the file's
// schemaYAML variable.
func schemaLiteral(path string) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return "", fmt.Errorf("reading the schema: %w", err)
	}
	var literal *ast.BasicLit
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && spec.Names[0].Name == "schemaYAML" {
			literal = firstString(spec)
		}
		return !ok
	})
	if literal == nil {
		return "", fmt.Errorf("reading the schema: no schemaYAML in %s", path)
	}
	return strconv.Unquote(literal.Value)
}

func firstString(spec *ast.ValueSpec) *ast.BasicLit {
	var found *ast.BasicLit
	ast.Inspect(spec, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && found == nil {
			found = lit
		}
		return found == nil
	})
	return found
}
