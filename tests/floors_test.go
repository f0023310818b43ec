package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// floors lists the folders of the module from the ground up. A package imports only packages of
// lower floors, and of its own folder.
func floors() [][]string {
	return [][]string{
		{"internal"},
		{"identity"},
		{"merge"},
		{"pkgmerge"},
		{"source", "sink"},
		{"patch"},
		{"apply"},
		{"overlay", "values", "blame", "render"},
		{"review"},
		{"report"},
		{"command", "docs"},
		{"."},
		{"tests"},
	}
}

// TestFloors fails where an import runs up, or to another folder of the same floor.
func TestFloors(t *testing.T) {
	floor := map[string]int{}
	for i, folders := range floors() {
		for _, folder := range folders {
			floor[folder] = i
		}
	}
	for _, p := range listPackages(t) {
		from, ok := floor[folderOf(p.name())]
		if !ok {
			t.Errorf("%s has no floor: add its folder to floors", p.name())
		}
		for _, imported := range p.Imports {
			to, ok := relative(imported)
			if !ok || folderOf(to) == folderOf(p.name()) || floor[folderOf(to)] < from {
				continue
			}
			t.Errorf("an import runs up: %s -> %s", p.name(), to)
		}
	}
}

// TestFoldersShareTheCode fails where a folder holds more than a quarter of the product's code.
func TestFoldersShareTheCode(t *testing.T) {
	lines, all := map[string]int{}, 0
	for _, p := range listPackages(t) {
		if folderOf(p.name()) == "tests" {
			continue
		}
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.HasPrefix(text, []byte("// Code generated")) {
				continue
			}
			n := bytes.Count(text, []byte("\n"))
			lines[folderOf(p.name())] += n
			all += n
		}
	}
	for folder, n := range lines {
		t.Logf("%6d lines in %s", n, folder)
		if 4*n > all {
			t.Errorf("%s holds %d of %d lines, more than a quarter", folder, n, all)
		}
	}
}

// listedPackage is a package as go list describes it.
type listedPackage struct {
	ImportPath, Dir  string
	GoFiles, Imports []string
}

// module is the path of the module, and the beginning of its packages' paths.
const module = "github.com/resource-merge/resource-merge"

// relative returns the path of a package of the module below the module's own.
func relative(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// name is the package's directory, below the module's.
func (p listedPackage) name() string {
	name, _ := relative(p.ImportPath)
	return name
}

// folderOf is the first part of a package's directory.
func folderOf(name string) string {
	folder, _, _ := strings.Cut(name, "/")
	return folder
}

// listPackages lists the packages of the module.
func listPackages(t *testing.T) (packages []listedPackage) {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 10 {
		t.Fatalf("only %d packages", len(packages))
	}
	return packages
}
