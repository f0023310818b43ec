package merge

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// The parts of an image that merge apart (design 3.1), as conflicts name them.
const (
	NamePart = "name" // with the registry
	TagPart  = "tag"  // with the digest

	// ImagePart is both, of an image in several fields of a map.
	ImagePart = "image"
)

// image is a container image in its two parts. The tag has its separator with
// it: ":1.2", "@sha256:0a", ":1.2@sha256:0a"; it is "" where nothing is written.
type image struct{ name, tag string }

// splitImage takes an image apart. What is not written as images are, such as
// $(IMAGE) or an empty string, has no parts.
func splitImage(n *yaml.Node) (image, bool) {
	if !isString(n) {
		return image{}, false
	}
	rest, digest, digested := strings.Cut(n.Value, "@")
	name, tag, tagged := rest, "", false
	if colon := strings.LastIndexByte(rest, ':'); colon > strings.LastIndexByte(rest, '/') {
		name, tag, tagged = rest[:colon], rest[colon+1:], true // not a registry's port
	}
	algorithm, hex, _ := strings.Cut(digest, ":")
	if !isImageName(name) || tagged && !isWritten(tag, "._-") || digested && (!isWritten(algorithm, "._+-") || !isWritten(hex, "")) {
		return image{}, false
	}
	return image{name: name, tag: n.Value[len(name):]}, true
}

// isImageName reports whether text is steps divided by slashes, the first of
// which may end in a port.
func isImageName(text string) bool {
	steps := strings.Split(text, "/")
	if host, port, hasPort := strings.Cut(steps[0], ":"); hasPort {
		if len(steps) == 1 || !isWritten(port, "") {
			return false
		}
		steps[0] = host
	}
	for _, s := range steps {
		if !isWritten(s, "._-") {
			return false
		}
	}
	return true
}

// isWritten reports whether text is not empty and has but letters, digits and
// the marks.
func isWritten(text, marks string) bool {
	for _, r := range text {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(marks, r)) {
			return false
		}
	}
	return text != ""
}

// decideImage decides an image that both sides changed differently as two
// values, each by the table of decideAtomic: a mirrored registry stays when
// upstream bumps the tag. What both changed in one part is a conflict about that
// part. Images that differ in both parts, or have none, are whole values, and so are those of
// which a side has a name that ends otherwise: its tags are those of another image. The
// result is quoted as local's.
func decideImage(e *element, policy Policy) (decision, bool) {
	if e.typ == nil || e.typ.Scalar != schema.Image || e.wholeImage {
		return decision{}, false
	}
	var images [3]image
	for side, n := range [3]*yaml.Node{e.value[origin], e.effective(upstream), e.effective(local)} {
		split := false
		if images[side], split = splitImage(n); !split {
			return decision{}, false
		}
	}
	if !sameEnd(images[origin].name, images[upstream].name, images[local].name) {
		return decision{}, false
	}
	chosen := policy.Side(e.path)
	name, nameClashes := mergeText([3]string{images[origin].name, images[upstream].name, images[local].name}, chosen)
	tag, tagClashes := mergeText([3]string{images[origin].tag, images[upstream].tag, images[local].tag}, chosen)
	if nameClashes && tagClashes {
		return decision{}, false
	}
	d := e.made(withText(e.value[local], name+tag))
	if nameClashes || tagClashes {
		d.conflict(BothChanged, e, chosen)
		d.conflicts[0].Part = partOf(e.effective(chosen), name+tag, nameClashes)
	}
	return d, true
}

// sameEnd reports whether the names of images have one last component, so that one version may
// have the registry of the other.
func sameEnd(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return path.Base(name) != path.Base(names[0]) })
}

// partOf is the part that a conflict is about; all of the image if what comes out
// is wholly the chosen side's.
func partOf(chosen *yaml.Node, result string, nameClashes bool) string {
	switch {
	case chosen.Value == result:
		return ""
	case nameClashes:
		return NamePart
	}
	return TagPart
}

// mergeText is the table of decideAtomic for texts. Where they clash it is the
// chosen side's.
func mergeText(text [3]string, chosen identity.Side) (merged string, clashes bool) {
	switch {
	case text[origin] == text[upstream], text[upstream] == text[local]:
		return text[local], false
	case text[origin] == text[local]:
		return text[upstream], false
	}
	return text[chosen], true
}
