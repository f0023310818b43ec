package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// apiModule is where the types stand. Their markers say what the schema does
// not: which kinds belong to no namespace.
const apiModule = "k8s.io/api@v0.37.2"

// markClusterScoped sets which kinds have no namespace (design 2): those whose
// type in k8s.io/api is marked so for the generator of clients.
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

// marked reports whether the comments above a type, also those with an empty
// line between, say that it is not namespaced. Source without the type is an
// error.
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
