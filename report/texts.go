package report

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// texts are a resource, or a file, before and after the merge, "" where there is none.
type texts struct {
	local, result  string
	hidden, binary bool
}

// texts are those of the resource; hidden where they may hold secrets.
func (r *Resource) texts() texts {
	if r.file != nil {
		return fileTexts(r.file)
	}
	var t texts
	sides := [2]*pkgmerge.Resource{r.change.Versions[identity.Local], r.change.Result}
	for i, into := range [2]*string{&t.local, &t.result} {
		if sides[i] == nil {
			continue
		}
		text, err := sides[i].YAML()
		*into, t.binary = string(text), t.binary || err != nil // what was made in memory may have no text
	}
	if t.hidden = r.change.MayHoldSecret(nil); t.hidden {
		t.local, t.result = "", ""
	}
	return t
}

func fileTexts(f *pkgmerge.FileChange) (t texts) {
	sides := [2]*pkgmerge.File{f.Versions[identity.Local], f.Result}
	for i, into := range [2]*string{&t.local, &t.result} {
		if sides[i] == nil {
			continue
		}
		*into = string(sides[i].Data)
		t.binary = t.binary || bytes.IndexByte(sides[i].Data, 0) >= 0
	}
	if t.hidden = f.Secret; t.hidden || t.binary {
		t.local, t.result = "", ""
	}
	return t
}

// trees are the texts as YAML, nil where they are none.
func (t texts) trees() (local, result *yaml.Node) {
	return treeOf(t.local), treeOf(t.result)
}

func treeOf(text string) *yaml.Node {
	var n yaml.Node
	if yaml.Unmarshal([]byte(text), &n) != nil || len(n.Content) == 0 {
		return nil
	}
	return n.Content[0]
}
