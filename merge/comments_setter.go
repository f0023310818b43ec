package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// withSetter returns the comments of the versions of a scalar, of which result is the merged one. A setter's comment goes
// with the value that it stands beside (rules/comments-and-text: setters): where the two collide, the comment is that of the
// side whose value the result has, and all versions get it.
func withSetter(s [3]slots, v [3]*yaml.Node, result *yaml.Node) [3]slots {
	if setterLines(s[upstream].head)+setterLines(s[local].head)+setterLines(s[origin].head) != "" {
		for path := setterPath(v[upstream], v[local]); result != nil && len(path) > 0; path = path[1:] {
			result = yamlnode.Field(result, path[0])
			for side := range v {
				v[side] = yamlnode.Field(v[side], path[0])
			}
		}
	}
	if result == nil || result.Kind != yaml.ScalarNode || !settersCollide(s, v) {
		return s
	}
	u, l := v[upstream], v[local]
	var side identity.Side
	switch {
	case Same(result, u), hasTagOf(result, u, l):
		side = upstream
	case Same(result, l), hasTagOf(result, l, u):
		side = local
	default:
		return s
	}
	chosen := s[side]
	for at := range s {
		if isSetter(s[upstream].line) || isSetter(s[local].line) || isSetter(s[origin].line) {
			s[at].line = chosen.line
		}
		if setterLines(s[upstream].head)+setterLines(s[local].head)+setterLines(s[origin].head) != "" {
			s[at].head = chosen.head
		}
	}
	return s
}

// settersCollide reports whether both sides changed a scalar together with the setter's comment beside it, as one value:
//
//   - both changed the value differently;
//   - one changed the value, the other one removed the comment, and it belongs to a machine that writes versions: Flux's
//     automation, or Renovate. A new comment, another name of a policy, and one of kpt's setters come without a collision
//     beside the changed value;
//   - one changed the value, and both the comment.
func settersCollide(s [3]slots, v [3]*yaml.Node) bool {
	o, u, l := v[origin], v[upstream], v[local]
	if u == nil || l == nil || u.Kind != yaml.ScalarNode || l.Kind != yaml.ScalarNode || Same(u, l) {
		return false
	}
	var setters [3]string
	for side := range s {
		if isSetter(s[side].line) {
			setters[side] = s[side].line
		}
		setters[side] += setterLines(s[side].head)
	}
	if setters == [3]string{} {
		return false
	}
	changer := upstream
	switch {
	case o == nil || !Same(o, u) && !Same(o, l):
		return true
	case Same(o, u):
		changer = local
	}
	other := otherSide(changer)
	return setters[other] != setters[origin] && setters[other] != setters[changer] &&
		(setters[changer] != setters[origin] || setters[other] == "" && !strings.Contains(setters[origin], kptSetter))
}

// decideSetter decides a scalar that collides with the setter's comment beside it.
func decideSetter(e *element, policy Policy) (decision, bool) {
	var s [3]slots
	for side, n := range e.value {
		if s[side] = nodeSlots(n); e.key[side] != nil {
			s[side] = fieldSlots(e.key[side], n)
		}
	}
	if e.setters != nil {
		for side, lines := range e.setters {
			s[side].head += "\n" + lines
		}
	}
	if e.form != atomic || !settersCollide(s, e.versions()) {
		return decision{}, false
	}
	d := e.take(policy.Side(e.path))
	d.conflict(BothChanged, e, policy.Side(e.path))
	return d, true
}

// passSetters hands Renovate's comments above a map on to the part with the value that they are about.
func (e *element) passSetters() {
	var lines [3]string
	for side, n := range e.value {
		if key := e.key[side]; key != nil {
			n = key
		}
		if n != nil && n.HeadComment != "" {
			lines[side] = setterLines(n.HeadComment)
		}
	}
	setters := e.setters
	if lines != [3]string{} {
		setters = &lines
	}
	if setters == nil || e.resource {
		return
	}
	if path := setterPath(e.effective(upstream), e.effective(local)); len(path) > 0 {
		for _, child := range e.children {
			if child.path.field == path[0] {
				child.setters = setters
			}
		}
	}
}

// setterPath returns the fields from a map under Renovate's comment to the value that the comment is about: the only scalar
// that upstream and local have differently or, of several, the only one with the name of a version. It is nil if there is none.
func setterPath(u, l *yaml.Node) []string {
	var all, versions [][]string
	var walk func(path []string, u, l *yaml.Node)
	walk = func(path []string, u, l *yaml.Node) {
		if u == nil || l == nil || u.Kind != l.Kind {
			return
		}
		if u.Kind == yaml.ScalarNode && len(path) > 0 && !Same(u, l) {
			if all = append(all, path); slices.Contains(append(versionFields(), "value"), path[len(path)-1]) {
				versions = append(versions, path)
			}
		}
		other := yamlnode.Fields(l)
		for key, value := range yamlnode.Pairs(u) {
			walk(append(slices.Clone(path), key.Value), value, other(key.Value))
		}
	}
	walk(nil, u, l)
	if len(all) > 1 {
		all = versions
	}
	if len(all) != 1 {
		return nil
	}
	return all[0]
}

// hasTagOf reports whether the merged image has the tag of one side, and not the other's.
func hasTagOf(result, one, other *yaml.Node) bool {
	_, tag, ok := splitImage(result)
	_, own, isImage := splitImage(one)
	_, others, isOther := splitImage(other)
	return ok && isImage && isOther && tag == own && own != others
}

// kptSetter begins the comment of one of kpt's setters.
const kptSetter = "kpt-set:"

// isSetter reports whether a comment on the line of a value names who writes the value: Flux's automation, kpt's setters,
// or Renovate.
func isSetter(comment string) bool {
	return strings.Contains(comment, "$imagepolicy") || strings.Contains(comment, kptSetter) || strings.Contains(comment, "renovate:")
}

// setterLines returns the lines of a comment above a value that are Renovate's.
func setterLines(comment string) (lines string) {
	for line := range strings.Lines(comment) {
		if strings.HasPrefix(strings.TrimLeft(line, "# \t"), "renovate:") {
			lines += strings.TrimSuffix(line, "\n") + "\n"
		}
	}
	return lines
}
