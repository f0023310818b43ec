package patch

import (
	"fmt"
	"slices"
	"strings"
)

// Form is how a patch says what differs (design 16).
type Form string

// The forms. Auto is Strategic for the kinds of Kubernetes and Merge for custom resources,
// of which the server refuses strategic patches.
const (
	Auto      Form = "auto"
	Strategic Form = "strategic"
	Merge     Form = "merge"
	JSON      Form = "json"
	Kustomize Form = "kustomize"
)

// Forms lists the forms.
func Forms() []Form { return []Form{Auto, Strategic, Merge, JSON, Kustomize} }

// ParseForm is the form of a name.
func ParseForm(name string) (Form, error) {
	if f := Form(name); slices.Contains(Forms(), f) {
		return f, nil
	}
	var names []string
	for _, f := range Forms() {
		names = append(names, string(f))
	}
	return "", fmt.Errorf("unknown form %q of a patch; want one of %s", name, strings.Join(names, ", "))
}
