package merge

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// keepsSyntax reports whether a merged text is still of the syntax, JSON or YAML,
// that all sides are of (design 3.1). YAML is documents that are maps or lists,
// without a key twice.
func keepsSyntax(sides [3]string, merged string) bool {
	for _, of := range [2]func(string) bool{isJSON, isYAML} {
		if !of(merged) && of(sides[origin]) && of(sides[upstream]) && of(sides[local]) {
			return false
		}
	}
	return true
}

func isJSON(text string) bool { return json.Valid([]byte(text)) }

func isYAML(text string) (valid bool) {
	defer func() {
		if recover() != nil {
			valid = false // the parser's own failure
		}
	}()
	d := yaml.NewDecoder(strings.NewReader(text))
	documents := 0
	for ; ; documents++ {
		var doc yaml.Node
		err := d.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return documents > 0
		}
		if err != nil || doc.Content[0].Kind == yaml.ScalarNode && !isNull(doc.Content[0]) {
			return false
		}
		if _, err := prepare(doc.Content[0]); err != nil {
			return false
		}
	}
}
