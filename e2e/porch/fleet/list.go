package fleet

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Numbered is the list of a copy, or an error. Upstream's versions are in the list, or in
// a directory where it writes them, if it has a name. config is that of List.
func Numbered(number, components int, dir, config string) ([]byte, error) {
	local, err := Variant(number, components)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return List(local, components, config)
	}
	origin, upstream, err := WriteUpstream(dir, components)
	if err != nil {
		return nil, err
	}
	return Alone(local, origin, upstream, config), nil
}

// List is a ResourceList of a copy of so many components, with both versions of upstream
// beside it, as Porch sends a package revision to a function. config is the data of the
// ConfigMap that configures the function, in YAML.
func List(local Files, components int, config string) ([]byte, error) {
	b := start(config)
	for _, version := range [][2]string{{"v1", "origin"}, {"v2", "upstream"}} {
		files, err := Upstream(version[0], components)
		if err != nil {
			return nil, err
		}
		write(b, files, version[1])
	}
	write(b, local, "")
	return []byte(b.String()), nil
}

// Alone is List without upstream's versions, which the function reads itself.
func Alone(local Files, origin, upstream, config string) []byte {
	b := start(fmt.Sprintf("%sorigin-dir: %s\nupstream-dir: %s\n", config, origin, upstream))
	write(b, local, "")
	return []byte(b.String())
}

// start begins a ResourceList, up to its items.
func start(config string) *strings.Builder {
	b := &strings.Builder{}
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")
	if config != "" {
		b.WriteString("functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: merge}\n  data:\n")
		b.WriteString(indented(config, "    "))
	}
	b.WriteString("items:\n")
	return b
}

// write adds files as items, each with the path where it lies.
func write(b *strings.Builder, files Files, dir string) {
	for _, name := range files.Names() {
		at := fmt.Sprintf("metadata:\n  annotations:\n    config.kubernetes.io/index: '0'\n    config.kubernetes.io/path: '%[1]s'\n    internal.config.kubernetes.io/index: '0'\n    internal.config.kubernetes.io/path: '%[1]s'\n", path.Join(dir, name))
		item := indented(strings.Replace(files[name], "metadata:\n", at, 1), "  ")
		b.WriteString("- " + item[2:])
	}
}

// indented is a text with something before each line.
func indented(text, with string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(with + line)
	}
	return b.String()
}

// WriteUpstream writes both versions of upstream into directories of a directory, and
// returns their names.
func WriteUpstream(dir string, components int) (origin, upstream string, err error) {
	var dirs []string
	for _, version := range []string{"v1", "v2"} {
		files, err := Upstream(version, components)
		if err != nil {
			return "", "", err
		}
		at := filepath.Join(dir, fmt.Sprintf("%s-%d", version, components))
		if err := files.Write(at); err != nil {
			return "", "", err
		}
		dirs = append(dirs, at)
	}
	return dirs[0], dirs[1], nil
}

// Write writes the files into a directory.
func (f Files) Write(dir string) error {
	for _, name := range f.Names() {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(f[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}
