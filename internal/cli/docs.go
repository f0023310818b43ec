package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// documentation is what README.md has between the marks of mdtogo, and metadata.yaml: the
// fields of --doc, as krm-functions-sdk names them. A test compares with it; it does not
// belong into the program, of which it would be a quarter of the start.
type documentation struct {
	Short              string   `json:"short" yaml:"-"`
	Long               string   `json:"long" yaml:"-"`
	Examples           string   `json:"examples" yaml:"-"`
	Image              string   `json:"image" yaml:"image"`
	Description        string   `json:"description" yaml:"description"`
	Tags               []string `json:"tags" yaml:"tags"`
	SourceURL          string   `json:"sourceURL" yaml:"sourceURL"`
	ExamplePackageURLs []string `json:"examplePackageURLs" yaml:"examplePackageURLs"`
	License            string   `json:"license" yaml:"license"`
	Hidden             bool     `json:"hidden" yaml:"hidden"`
}

// printDocs prints the documentation: for people with --help, else as JSON.
func printDocs(readme, metadata []byte, args []string, stdout io.Writer) error {
	var d documentation
	if err := yaml.Unmarshal(metadata, &d); err != nil {
		return fmt.Errorf("read metadata.yaml: %w", err)
	}
	d.Short, d.Long, d.Examples = section(readme, "Short"), section(readme, "Long"), section(readme, "Examples")
	if slices.Contains(args, "--help") {
		_, err := fmt.Fprintf(stdout, "%s\n\n%s\n\nExamples:\n%s\n", d.Short, d.Long, d.Examples)
		return err
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err == nil {
		_, err = stdout.Write(text)
	}
	return err
}

// section is what a README has from a mark to the end of that section.
func section(readme []byte, name string) string {
	_, after, _ := strings.Cut(string(readme), "<!--mdtogo:"+name+"-->")
	text, _, _ := strings.Cut(after, "<!--mdtogo-->")
	return strings.TrimSpace(text)
}
