package gitrepo

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// errBroken says that git did not give what it has listed.
var errBroken = errors.New("the repository is broken")

// checkOut reads files as git would check them out of the tree: with the
// .gitattributes of the tree, above the directory and in it. Git looks for them in
// a work tree, so they are put into one for that time.
func (t tree) checkOut(ctx context.Context, texts, attributes []object) (contents [][]byte, err error) {
	for _, o := range texts {
		if path.Base(o.name) == ".gitattributes" {
			o.name = path.Join(t.dir, o.name)
			attributes = append(attributes, o)
		}
	}
	rules, err := t.batch(ctx, attributes, nil)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "resource-merge-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	for i, o := range attributes {
		file := filepath.Join(work, filepath.FromSlash(o.name))
		err = errors.Join(checkName(o.name), os.MkdirAll(filepath.Dir(file), 0o700))
		if err == nil {
			err = os.WriteFile(file, rules[i], 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	return t.batch(ctx, texts, &command{
		dir:  work,
		args: []string{"-c", "core.bare=false", "--work-tree=" + work},
	})
}

// batch reads the contents of objects, as they are stored, or filtered as in a
// work tree. Filtered contents can be longer or shorter than git says, so that a
// word begins each which nobody could have foreseen.
func (t tree) batch(ctx context.Context, objects []object, work *command) ([][]byte, error) {
	if len(objects) == 0 {
		return nil, nil
	}
	c, mode := command{}, []string{}
	if work != nil {
		c, mode = *work, []string{"--filters"}
	}
	word := rand.Text()
	var ask strings.Builder
	for _, o := range objects {
		// Git reads a request up to the line's end; the name only chooses attributes.
		name := strings.ReplaceAll(path.Join(t.dir, o.name), "\n", "?")
		if work == nil {
			name = ""
		}
		ask.WriteString(strings.TrimSpace(o.id+" "+name) + "\n")
	}
	c.stdin = strings.NewReader(ask.String())
	c.args = append(append(c.args, "cat-file", "--buffer", "--batch="+word+" %(objectname)"), mode...)
	out, err := t.run(ctx, c)
	if err != nil {
		return nil, err
	}
	return splitBatch(out, word, objects)
}

// splitBatch splits what git cat-file wrote at the word.
func splitBatch(out []byte, word string, objects []object) ([][]byte, error) {
	contents := make([][]byte, len(objects))
	out, first := bytes.CutPrefix(out, []byte(word+" "))
	if !first || !bytes.HasSuffix(out, []byte("\n")) {
		return nil, errBroken
	}
	parts := bytes.Split(out[:len(out)-1], []byte("\n"+word+" "))
	if len(parts) != len(objects) {
		return nil, errBroken
	}
	for i, part := range parts {
		id, content, found := bytes.Cut(part, []byte("\n"))
		if !found || !bytes.HasPrefix(id, []byte(objects[i].id)) {
			return nil, errBroken
		}
		contents[i] = content[:len(content):len(content)]
	}
	return contents, nil
}
