package overlay

import "github.com/resource-merge/resource-merge/internal/transform"

// image is an entry of kustomize's images: what becomes of all images of a name.
type image struct{ name, newName, newTag, digest string }

// changeOf is the entry that makes an image of another, if there is one: it cannot take a
// tag away.
func changeOf(was, is string) (e image, ok bool) {
	if !transform.IsImage(was) {
		return e, false
	}
	name, tag, digest := transform.SplitImage(was)
	e.name = name
	newName, newTag, newDigest := transform.SplitImage(is)
	if newName != name {
		e.newName = newName
	}
	switch {
	case newTag == tag && newDigest == digest:
	case newTag != "" && newDigest != "", newTag == "" && newDigest == "":
		return e, false
	default:
		e.newTag, e.digest = newTag, newDigest
	}
	return e, true
}

// of is what the entry makes of an image.
func (e image) of(text string) string {
	name, tag, digest := transform.SplitImage(text)
	if name != e.name || !transform.IsImage(text) {
		return text
	}
	if e.newName != "" {
		name = e.newName
	}
	if e.newTag != "" || e.digest != "" {
		tag, digest = e.newTag, e.digest
	}
	if tag != "" {
		name += ":" + tag
	}
	if digest != "" {
		name += "@" + digest
	}
	return name
}
