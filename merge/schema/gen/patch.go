package main

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// machineryModule has the types that all kinds share. Its version and that of apiModule are the same.
const machineryModule = "k8s.io/apimachinery@v0.37.2"

// patchTag has the tags of a field for strategic merge, patchStrategy and patchMergeKey. The source has them, and
// client-go's schema does not.
type patchTag struct{ strategy, key string }

func (t patchTag) has(strategy string) bool {
	return slices.Contains(strings.Split(t.strategy, ","), strategy)
}

// relation returns the relation of a value in strategic merge: a list without the strategy merge is replaced, and so is
// a map with the strategy replace.
func (t patchTag) relation(isList bool) string {
	switch {
	case isList && t.has("merge") && t.key != "":
		return "ListMap"
	case isList && t.has("merge"):
		return "Set"
	case isList || t.has("replace"):
		return "Atomic"
	}
	return "Granular"
}

// String distinguishes the names of nodes that differ in their tags.
func (t patchTag) String() string {
	if t.strategy == "" {
		return ""
	}
	return strings.TrimSuffix(", "+t.strategy+" by "+t.key, " by ")
}

// structTags has the tags of fields, by the names of the struct in the schema and of the field.
type structTags map[string]map[string]patchTag

// readTags returns the tags of the structs of a document. Types outside the two modules have no fields.
func readTags(doc *document) (structTags, error) {
	tags := structTags{}
	for _, module := range []struct{ path, prefix string }{
		{apiModule, apiPrefix}, {machineryModule, "io.k8s.apimachinery."},
	} {
		dir, err := moduleDir(module.path)
		if err != nil {
			return nil, err
		}
		for _, pkg := range doc.packages(module.prefix) {
			below := strings.ReplaceAll(strings.TrimPrefix(pkg, module.prefix), ".", "/")
			if err := tags.addPackage(filepath.Join(dir, below), pkg); err != nil {
				return nil, fmt.Errorf("reading the tags of %s: %w", pkg, err)
			}
		}
	}
	return tags, nil
}

// packages returns the packages of the structs with a prefix.
func (d *document) packages(prefix string) []string {
	var found []string
	for _, def := range d.Types {
		if strings.HasPrefix(def.Name, prefix) && len(def.fields()) > 0 {
			found = append(found, def.Name[:strings.LastIndex(def.Name, ".")+1])
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// addPackage adds the structs of a package's types.go.
func (t structTags) addPackage(dir, pkg string) error {
	text, err := os.ReadFile(filepath.Join(dir, "types.go"))
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), "types.go", text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	structs := map[string]*ast.StructType{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			if s, ok := spec.Type.(*ast.StructType); ok {
				structs[spec.Name.Name] = s
			}
		}
		return true
	})
	for name, s := range structs {
		t[pkg+name] = map[string]patchTag{}
		addFields(t[pkg+name], s, structs)
	}
	return nil
}

// addFields adds the tags of a struct's fields, also from embedded structs.
func addFields(to map[string]patchTag, s *ast.StructType, structs map[string]*ast.StructType) {
	for _, f := range s.Fields.List {
		if embedded, ok := f.Type.(*ast.Ident); ok && len(f.Names) == 0 && structs[embedded.Name] != nil {
			addFields(to, structs[embedded.Name], structs)
		}
		if f.Tag == nil {
			continue
		}
		text, _ := strconv.Unquote(f.Tag.Value)
		tag := reflect.StructTag(text)
		name, _, _ := strings.Cut(tag.Get("json"), ",")
		if strategy := tag.Get("patchStrategy"); strategy != "" && name != "" {
			to[name] = patchTag{strategy: strategy, key: tag.Get("patchMergeKey")}
		}
	}
}

// apiModule has the Go types. Their markers tell which kinds are cluster-scoped; the schema does not.
const apiModule = "k8s.io/api@v0.37.2"

// markClusterScoped marks the cluster-scoped kinds (rules/identity: identities): their types in k8s.io/api have a
// marker for the generator of clients.
func markClusterScoped(kinds []kind) error {
	dir, err := moduleDir(apiModule)
	if err != nil {
		return err
	}
	for i, k := range kinds {
		path := strings.Split(strings.TrimPrefix(k.name, apiPrefix), ".")
		text, err := os.ReadFile(filepath.Join(dir, path[0], path[1], "types.go"))
		if err != nil {
			return fmt.Errorf("reading the scope of %s: %w", k.name, err)
		}
		if kinds[i].cluster, err = marked(text, k.kind); err != nil {
			return fmt.Errorf("reading the scope of %s: %w", k.name, err)
		}
	}
	return nil
}

// marked reports whether the comments above a type, also above an empty line, mark it as not namespaced. Source without
// the type is an error.
func marked(source []byte, name string) (bool, error) {
	found := false
	for lines := bufio.NewScanner(bytes.NewReader(source)); lines.Scan(); {
		line := lines.Text()
		switch {
		case line == "// +genclient:nonNamespaced":
			found = true
		case strings.HasPrefix(line, "type "+name+" struct"):
			return found, nil
		case line != "" && !strings.HasPrefix(line, "//"):
			found = false
		}
	}
	return false, fmt.Errorf("no type %s", name)
}
