// Gen writes the built-in tables of package schema (design 4, step 3, 4.4), run by
// go generate in that package's directory.
package main

import (
	"fmt"
	"os"
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
