package config

import (
	"errors"
	"fmt"
	"strings"
)

// Rename is a resource that upstream renamed, where nothing else tells
// (design 2).
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
