package gitrepo

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"strings"
)

// errBroken says that git did not give what it has listed.
var errBroken = errors.New("the repository is broken")

// batch reads the contents of objects, as they are stored, or filtered as in a
// work tree. Filtered contents can be longer or shorter than git says, so that a
// word begins each which nobody could have foreseen.
func (run runner) batch(ctx context.Context, objects []object, work *command) ([][]byte, error) {
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
		name := strings.ReplaceAll(o.fullName(), "\n", "?")
		if work == nil {
			name = ""
		}
		ask.WriteString(strings.TrimSpace(o.id+" "+name) + "\n")
	}
	c.stdin = strings.NewReader(ask.String())
	c.args = append(append(c.args, "cat-file", "--buffer", "--batch="+word+" %(objectname)"), mode...)
	out, err := run(ctx, c)
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
