// Package function is the KRM function for programs in Go that are functions themselves, such as those in engines/fn:
// texts go in and come out, so that nothing of the program's types is a promise.
package function

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/krmfunction"
)

// Run merges the text of a ResourceList as the program does (rules/function: the function). The merged list is a valid
// ResourceList whatever happens: with an error it has the items as they came, and the error among its results.
func Run(list []byte) (merged []byte, err error) { return krmfunction.Run(list, nil) }

// CheckConfig returns an error if a function config is wrong (rules/function: function config). The text is YAML or JSON;
// an empty one is no config, which is allowed. The error names the field, its value and the allowed values.
func CheckConfig(text []byte) error {
	var document yaml.Node
	switch err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fmt.Errorf("functionConfig is not YAML: %w", err)
	}
	if _, err := config.Read(document.Content[0]); err != nil {
		return fmt.Errorf("functionConfig: %w", err)
	}
	return nil
}
