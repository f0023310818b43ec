package source_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// config is a file system with one ConfigMap. One that a program embeds works as well.
func config(size, colour string) source.FS {
	text := fmt.Appendf(nil, `apiVersion: v1
kind: ConfigMap
metadata:
  name: shop
data:
  size: %s
  colour: %s
`, size, colour)
	return source.FS{FS: fstest.MapFS{"shop.yaml": {Data: text}}}
}

// Versions may be file systems of io/fs.
func ExampleFS() {
	ctx := context.Background()
	packages, err := source.Three(ctx, config("small", "red"), config("big", "red"), config("small", "blue"))
	if err != nil {
		log.Fatal(err)
	}
	result, err := pkgmerge.Merge(ctx, packages, pkgmerge.Options{MergeComments: pkgmerge.CommentRenamed})
	if err != nil {
		log.Fatal(err)
	}
	files, err := result.Files()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range files {
		fmt.Printf("%s:\n%s", f.Name, f.Data)
	}
	// Output:
	// shop.yaml:
	// apiVersion: v1
	// kind: ConfigMap
	// metadata:
	//   name: shop
	// data:
	//   size: big
	//   colour: blue
}

// inMemory is a source of its own: a package that a program has made.
type inMemory []pkgmerge.File

// Read returns the package.
func (files inMemory) Read(context.Context) (pkgmerge.Package, error) {
	return pkgmerge.NewPackage(files)
}

// A Source is wherever a version comes from.
func ExampleSource() {
	made := inMemory{{Name: "shop.yaml", Mode: 0o644, Data: []byte("apiVersion: v1\nkind: Service\nmetadata:\n  name: shop\n")}}
	packages, err := source.Three(context.Background(), source.Nothing{}, made, made)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range packages {
		fmt.Println(p.Resources)
	}
	// Output:
	// []
	// [Service shop in shop.yaml]
	// [Service shop in shop.yaml]
}
