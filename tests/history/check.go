package history

import (
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/mergecheck"
)

// Texts are the versions of a file and a result to check.
type Texts struct{ Base, Ours, Theirs, Result []byte }

// Broken tells the losses and inventions of a result without a conflict, by a checker that knows
// nothing of how the driver merges. Files whose documents may have been renamed are not checked.
func Broken(path string, noBase bool, t Texts, newest bool) []string {
	files := func(text []byte) map[string]string { return map[string]string{path: string(text)} }
	p := mergecheck.Package{
		Origin: files(t.Base), Upstream: files(t.Theirs), Local: files(t.Ours), Result: files(t.Result),
		Marks: true, Git: true, Newest: newest, Schema: schema.New(nil, nil, true),
	}
	if noBase {
		p.Origin = nil
	}
	if p.Renames() {
		return nil
	}
	return mergecheck.CheckPackage(p)
}
