// Gen writes the built-in table of package schema (DESIGN 4.4), run by
// go generate in that package's directory.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run("zz_kubernetes.go"); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(target string) error {
	code, err := generate()
	if err != nil {
		return err
	}
	if err := os.WriteFile(target, code, 0o644); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// generate returns the generated file: client-go's schema with the unions
// and images added to it by hand, as rows, as Go.
func generate() ([]byte, error) {
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
	graph, err := newGraph(doc)
	if err != nil {
		return nil, err
	}
	if err := graph.addImages(imageFields()); err != nil {
		return nil, err
	}
	return render(kinds, graph.prune(kinds))
}
