package tests

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAPI compares the exported declarations with tests/api.txt, so that no review
// overlooks a change of them: they are a promise to programs outside. -update writes
// the file.
func TestAPI(t *testing.T) {
	const file = "tests/api.txt"
	var got strings.Builder
	for _, dir := range publicPackages(t) {
		fmt.Fprintf(&got, "package %s\n\n%s\n", dir, exported(t, dir))
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.Split(string(readOptional(t, file)), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("the exported API is not that of %s; if that is meant, run go test ./tests -run TestAPI -update (-file +code):\n%s", file, diff)
	}
}

// publicPackages are the directories of the packages that other programs may import,
// sorted: command is the program itself, but for the function in it.
func publicPackages(t *testing.T) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch base := d.Name(); {
			case name == ".", base == "engines", name == "command", name == "command/function":
			case base == "internal", base == "testdata", base == "tests", base == "command", base == "e2e", base == "examples", strings.HasPrefix(base, "."):
				return fs.SkipDir
			}
			return nil
		}
		if dir := path.Dir(filepath.ToSlash(name)); dir != "." && path.Ext(name) == ".go" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(dirs)
	return slices.DeleteFunc(dirs, func(dir string) bool { return dir == "command" || path.Base(dir) == "gen" })
}

// exported are the exported declarations of a package, in the order of go doc, without
// the ones that name a type from below internal: nobody outside can use these.
func exported(t *testing.T, dir string) string {
	t.Helper()
	fset := token.NewFileSet()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var parsed []*ast.File
	internal := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range f.Imports {
			if from := strings.Trim(imported.Path.Value, `"`); strings.Contains(from, "/internal/") {
				internal[path.Base(from)] = true
			}
		}
		parsed = append(parsed, f)
	}
	p, err := doc.NewFromFiles(fset, parsed, dir)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, d := range declarations(p) {
		if names(d, internal) {
			continue
		}
		complete(d)
		if err := format.Node(&text, token.NewFileSet(), d); err != nil {
			t.Fatal(err)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// declarations returns a package's declarations: constants, variables, functions, and
// each type with its own constants, variables, functions and methods.
func declarations(p *doc.Package) (all []ast.Decl) {
	values := func(groups ...[]*doc.Value) {
		for _, v := range slices.Concat(groups...) {
			all = append(all, v.Decl)
		}
	}
	funcs := func(groups ...[]*doc.Func) {
		for _, f := range slices.Concat(groups...) {
			f.Decl.Body = nil
			all = append(all, f.Decl)
		}
	}
	values(p.Consts, p.Vars)
	funcs(p.Funcs)
	for _, typ := range p.Types {
		all = append(all, typ.Decl)
		values(typ.Consts, typ.Vars)
		funcs(typ.Funcs, typ.Methods)
	}
	return all
}

// complete has structs print without a word on unexported fields.
func complete(d ast.Decl) {
	ast.Inspect(d, func(n ast.Node) bool {
		if s, is := n.(*ast.StructType); is {
			s.Incomplete = false
		}
		return true
	})
}

// names reports whether a declaration names something of the packages.
func names(d ast.Decl, packages map[string]bool) (found bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		if s, is := n.(*ast.SelectorExpr); is {
			from, _ := s.X.(*ast.Ident)
			found = found || from != nil && packages[from.Name]
		}
		return true
	})
	return found
}
