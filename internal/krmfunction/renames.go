package krmfunction

import (
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
)

// Rename is a resource that upstream renamed, where nothing else tells
// (DESIGN 2).
type Rename struct {
	// Group is the API group, without the version; "" is the core group, and the
	// default is any.
	Group *string `json:"group"`
	// Kind is the kind of the resource.
	Kind string `json:"kind"`
	// From is what origin and local call it: a name, in whatever namespace, or
	// namespace/name.
	From string `json:"from"`
	// To is what upstream calls it: a name, in the same namespace, or
	// namespace/name.
	To string `json:"to"`
}

func (r Rename) check() error {
	if r.Kind == "" {
		return errors.New(`kind: "" is not allowed, allowed is the kind of the resource that upstream renamed`)
	}
	if !isName(r.From) {
		return fmt.Errorf("from: %q is not allowed, allowed is a name or namespace/name", r.From)
	}
	if !isName(r.To) {
		return fmt.Errorf("to: %q is not allowed, allowed is a name or namespace/name", r.To)
	}
	return nil
}

// isName reports whether text is a name or namespace/name.
func isName(text string) bool {
	parts := strings.Split(text, "/")
	for _, part := range parts {
		if part == "" || strings.ContainsAny(part, " \t\r\n") {
			return false
		}
	}
	return len(parts) <= 2
}

// checkRenames finds an entry that says too little.
func (c Config) checkRenames() error {
	for i, r := range c.Renames {
		if err := r.check(); err != nil {
			return fmt.Errorf("renames[%d].%w", i, err)
		}
	}
	return nil
}

// identityRenames is the config's renames as matching takes them.
func (c Config) identityRenames() []identity.Rename {
	var out []identity.Rename
	for _, r := range c.Renames {
		out = append(out, identity.Rename(r))
	}
	return out
}

// unusedRenames warns of entries that no resource of origin's or local's has.
func (c Config) unusedRenames(unused []int) framework.Results {
	var warnings framework.Results
	for _, i := range unused {
		warnings = append(warnings, warning(fmt.Sprintf("functionConfig: renames[%d] matches nothing: neither origin nor local has a %s %s", i, c.Renames[i].Kind, c.Renames[i].From)))
	}
	return warnings
}
