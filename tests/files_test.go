package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFilesHaveOneDirection fails where files of a package use each other's
// declarations in a circle: a reader of one file then has to know the other
// too, whichever is read first.
func TestFilesHaveOneDirection(t *testing.T) {
	packages := listPackages(t)
	exported := func(path string) (io.ReadCloser, error) { return os.Open(packages[path].Export) }
	checked := 0
	for path, p := range packages {
		if p.Module == nil || !p.Module.Main || slices.ContainsFunc(intertwined(), func(dir string) bool { return strings.HasSuffix(path, dir) }) {
			continue
		}
		checked++
		fset := token.NewFileSet()
		uses, err := fileUses(fset, path, p, importer.ForCompiler(fset, "gc", exported))
		if err != nil {
			t.Fatal(err)
		}
		for _, circle := range circles(uses) {
			t.Errorf("%s: these files use each other in a circle: %s", path, strings.Join(circle, ", "))
		}
	}
	if checked < 10 {
		t.Errorf("looked at %d packages, want all of the module", checked)
	}
}

// intertwined lists the packages whose files still use each other in circles.
func intertwined() []string {
	return []string{"/internal/manifest", "/internal/mergecheck", "/internal/resourcelist", "/tests/upgrade"}
}

// listedPackage is what go list says of a package.
type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	Module                  *struct{ Main bool }
}

// listPackages lists the module's packages and all that they import.
func listPackages(t *testing.T) map[string]listedPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Module", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]listedPackage{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}

// fileUses lists for each file of a package the files whose declarations it uses:
// functions, types, fields, methods, constants.
func fileUses(fset *token.FileSet, path string, p listedPackage, imports types.Importer) (map[string]map[string]bool, error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{Importer: imports}).Check(path, fset, files, &info)
	if err != nil {
		return nil, err
	}
	uses := map[string]map[string]bool{}
	for id, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		from, to := filepath.Base(fset.File(id.Pos()).Name()), filepath.Base(fset.File(object.Pos()).Name())
		if from == to {
			continue
		}
		if uses[from] == nil {
			uses[from] = map[string]bool{}
		}
		uses[from][to] = true
	}
	return uses, nil
}

// circles are the groups of files each of which leads to all others, sorted.
func circles(uses map[string]map[string]bool) [][]string {
	reach := map[string]map[string]bool{}
	for from := range uses {
		reach[from] = map[string]bool{}
		for waiting := []string{from}; len(waiting) > 0; {
			for to := range uses[waiting[0]] {
				if !reach[from][to] {
					reach[from][to] = true
					waiting = append(waiting, to)
				}
			}
			waiting = waiting[1:]
		}
	}
	var out [][]string
	seen := map[string]bool{}
	for from := range uses {
		if seen[from] || !reach[from][from] {
			continue
		}
		var circle []string
		for to := range reach[from] {
			if reach[to][from] {
				seen[to] = true
				circle = append(circle, to)
			}
		}
		slices.Sort(circle)
		out = append(out, circle)
	}
	return out
}
