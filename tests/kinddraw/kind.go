package kinddraw

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// clientGo is the module with the schema of the built-in kinds. The schema's package
// is internal, so its source is read and nothing is imported.
const clientGo = "k8s.io/client-go@v0.37.2"

// Kind is a kind of resources, with client-go's type of it and this module's.
type Kind struct {
	APIVersion, Name string
	Schema           *Schema
	Type             TypeRef // in Schema
	Ours             schema.Resource
}

func (k Kind) String() string { return k.APIVersion + " " + k.Name }

// Kinds returns all kinds that client-go's schema has, with selectors as
// it has them, atomic, or merged by key.
func Kinds(t *testing.T, selectorsByKey bool) []Kind {
	t.Helper()
	theirs, err := Parse([]byte(clientGoSchema(t)))
	if err != nil {
		t.Fatal(err)
	}
	if selectorsByKey {
		theirs.mergeSelectorsByKey()
	}
	ours := schema.New(nil, nil, true)
	var kinds []Kind
	for _, def := range theirs.Types {
		if !isKind(def) {
			continue
		}
		parts := strings.Split(strings.TrimPrefix(def.Name, "io.k8s.api."), ".")
		pkg, version, kind := parts[0], parts[1], parts[2]
		group := groupOf(t, pkg, version, kind)
		kinds = append(kinds, Kind{
			APIVersion: strings.TrimPrefix(group+"/"+version, "/"), Name: kind,
			Schema: theirs, Type: TypeRef{NamedType: &def.Name}, Ours: ours.Resource(group, version, kind),
		})
	}
	return kinds
}

func isKind(def TypeDef) bool {
	if def.Map == nil {
		return false
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		if _, found := def.Map.FindField(name); !found {
			return false
		}
	}
	return true
}

// groupOf finds the group of a package of k8s.io/api: the one whose kind is built in.
func groupOf(t *testing.T, pkg, version, kind string) string {
	t.Helper()
	if pkg == "core" {
		return ""
	}
	builtIn := schema.NewColumn(schema.Merging, nil)
	for _, group := range []string{
		pkg, pkg + ".k8s.io", pkg + ".apiserver.k8s.io", pkg + ".authorization.k8s.io", "internal.apiserver.k8s.io",
	} {
		if builtIn.IsBuiltIn(group, kind) {
			return group
		}
	}
	t.Fatalf("the built-in table has no kind %s of %s/%s", kind, pkg, version)
	return ""
}

// clientGoSchema reads the schema out of client-go's source.
func clientGoSchema(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs client-go's source")
	}
	out, err := exec.Command("go", "mod", "download", "-json", clientGo).Output()
	if err != nil {
		t.Fatalf("downloading %s: %v\n%s", clientGo, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(module.Dir, "applyconfigurations", "internal", "internal.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	text := longestString(file)
	if !strings.HasPrefix(text, "types:") {
		t.Fatalf("%s has no schema", path)
	}
	return text
}

// longestString is the longest string literal of a file.
func longestString(file *ast.File) string {
	longest := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && len(text) > len(longest) {
				longest = text
			}
		}
		return true
	})
	return longest
}
