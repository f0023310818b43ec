package patch

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
)

// Unsayable is the error of a difference that a form of patches cannot say.
type Unsayable struct {
	Form   Form
	Path   *merge.Path
	Reason string
}

func (e *Unsayable) Error() string {
	path := e.Path.String()
	if path == "" {
		path = "the resource"
	}
	return fmt.Sprintf("%s: a %s patch cannot say it: %s", path, e.Form, e.Reason)
}

// writable finds what a patch of a form cannot set as a part of a value: a null, which
// deletes (design 16.2), and a field that is named as a directive.
func writable(form Form, at *merge.Path, n *yaml.Node) error {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" {
			return &Unsayable{Form: form, Path: at, Reason: "a null must stay there, and a null deletes"}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if err := sayableName(form, at, name); err != nil {
				return err
			}
			if err := writable(form, at.Field(name), n.Content[i+1]); err != nil {
				return err
			}
		}
	default:
		for _, element := range n.Content {
			if err := writable(form, at, element); err != nil {
				return err
			}
		}
	}
	return nil
}

// sayableName finds a field that a strategic patch would take for a directive.
func sayableName(form Form, at *merge.Path, name string) error {
	if form == Merge || !strings.HasPrefix(name, "$") {
		return nil
	}
	for _, directive := range [4]string{patchDirective, retainKeys, setElementOrder, deleteFromList} {
		if strings.HasPrefix(name, directive) {
			return &Unsayable{Form: form, Path: at.Field(name), Reason: "the field has the name of a directive"}
		}
	}
	return nil
}
