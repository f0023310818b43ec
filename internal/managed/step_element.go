package managed

import "slices"

// Agrees reports whether the step may lead to an element of which some parts of the key
// are known. The element of a set is a part without a name.
func (s Step) Agrees(parts ...KeyPart) bool {
	if s.kind != keyStep && s.kind != valueStep {
		return false
	}
	for _, known := range parts {
		at := slices.IndexFunc(s.parts, func(p part) bool { return p.name == known.Name })
		if known.Value != nil && (at < 0 || compareValues(ofNode(known.Value), s.parts[at].value) != 0) {
			return false
		}
	}
	return true
}

// KeyNames are the names of the fields of the key, nil if the step leads to no element by
// its key.
func (s Step) KeyNames() []string {
	if s.kind != keyStep {
		return nil
	}
	var out []string
	for _, p := range s.parts {
		out = append(out, p.name)
	}
	return out
}
