package gitrepo

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// Objects reads objects of a repository by one process of git. It is not safe for concurrent use.
type Objects struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
	isList bool // it returns no data
	// waiting counts the objects that Ask asked for and Next has not returned.
	waiting int
	// idOf finds the id of an object by a name that no line holds, such as a file's with a line break; "" if there is none.
	idOf func(name string) (string, error)
}

// Object is an object of a repository.
type Object struct {
	// ID is the object's id, "" if the repository lacks the object.
	ID string
	// Kind is blob, tree, commit or tag.
	Kind string
	Data []byte
}

// Objects starts git to read objects. The caller closes it.
func (w *WorkTree) Objects(ctx context.Context) (*Objects, error) {
	return w.repository().objects(ctx, "--batch")
}

// ObjectNames starts git to find the ids and kinds of objects, without their data. The caller closes it.
func (w *WorkTree) ObjectNames(ctx context.Context) (*Objects, error) {
	return w.repository().objects(ctx, "--batch-check")
}

func (r repository) objects(ctx context.Context, how string) (*Objects, error) {
	cmd, err := start(ctx, []string{"--git-dir=" + r.dir, "cat-file", how})
	if err != nil {
		return nil, err
	}
	o := &Objects{cmd: cmd, isList: how == "--batch-check", idOf: func(name string) (string, error) {
		out, err := r.run(ctx, command{args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", name}})
		if failure := (*Failure)(nil); errors.As(err, &failure) && ctx.Err() == nil {
			return "", nil
		}
		return strings.TrimSpace(string(out)), err
	}}
	cmd.Dir, cmd.Env, cmd.Stderr = r.top, append(environment(), local()...), &o.stderr
	OwnGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	o.in, o.out = in, bufio.NewReaderSize(out, 1<<16)
	return o, err
}

// Ask asks for objects, by ids or other names of git. Next returns them in this order.
func (o *Objects) Ask(names ...string) error {
	lines := slices.Clone(names)
	for i, name := range names {
		if name == "" {
			return errors.New(`"" is not the name of an object`)
		}
		if !strings.ContainsAny(name, "\r\n") {
			continue
		}
		id, err := o.idOf(name)
		if err != nil {
			return err
		}
		lines[i] = cmp.Or(id, missing)
	}
	if len(lines) == 0 {
		return nil
	}
	o.waiting += len(lines)
	_, err := io.WriteString(o.in, strings.Join(lines, "\n")+"\n")
	return o.explain(err)
}

// missing is the name of no object.
const missing = "missing:"

// Next returns the next object that was asked for.
func (o *Objects) Next() (Object, error) {
	o.waiting--
	head, err := o.out.ReadString('\n')
	if err != nil {
		return Object{}, o.explain(err)
	}
	fields := strings.Fields(head)
	if len(fields) != 3 || fields[1] == "missing" || fields[1] == "ambiguous" {
		return Object{}, nil
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size < 0 {
		return Object{}, nil // a name with spaces that is missing
	}
	if o.isList {
		return Object{ID: fields[0], Kind: fields[1]}, nil
	}
	data := make([]byte, size+1) // a line end follows
	if _, err := io.ReadFull(o.out, data); err != nil {
		return Object{}, o.explain(err)
	}
	return Object{ID: fields[0], Kind: fields[1], Data: data[:size]}, nil
}

// Read returns one object. Objects that were asked for before are skipped.
func (o *Objects) Read(name string) (Object, error) {
	if err := o.skip(); err != nil {
		return Object{}, err
	}
	if err := o.Ask(name); err != nil {
		return Object{}, err
	}
	return o.Next()
}

// skip skips the objects that were asked for before.
func (o *Objects) skip() error {
	for o.waiting > 0 {
		if _, err := o.Next(); err != nil {
			return err
		}
	}
	return nil
}

// explain adds git's message to an error of its streams.
func (o *Objects) explain(err error) error {
	if err == nil {
		return nil
	}
	_ = o.in.Close()
	_ = o.cmd.Wait() // git's message says more than its exit code
	return &Failure{Message: errorLine(o.stderr.String()), err: err}
}

// Close ends git.
func (o *Objects) Close() error {
	err := o.in.Close()
	_, _ = io.Copy(io.Discard, o.out)
	return errors.Join(err, o.cmd.Wait())
}

// FileChange is a change of a file in a commit.
type FileChange struct {
	Commit string
	// From and To are the ids of the blobs; "" if the file was added or deleted.
	From, To string
}

// FileHistory lists the changes of a file, a path below Top, up to a commit, the newest first.
func (w *WorkTree) FileHistory(ctx context.Context, commit, name string) (changes []FileChange, err error) {
	args := []string{"--literal-pathspecs", "log", "--format=%x00%H", "--raw", "--no-abbrev", "--no-renames", "--no-color", commit, "--", name}
	out, err := w.run(ctx, command{args: args})
	if err != nil {
		return nil, fmt.Errorf("read the history of %s: %w", name, err)
	}
	for record := range strings.SplitSeq(string(out), "\x00") {
		id, rest, _ := strings.Cut(record, "\n")
		if fields := strings.Fields(rest); len(fields) > 4 {
			changes = append(changes, FileChange{Commit: id, From: blobID(fields[2]), To: blobID(fields[3])})
		}
	}
	return changes, nil
}

// BlobIDs returns the names of all files of a commit, by their paths below Top, with the ids of their contents. Symbolic links and
// submodules are left out.
func (w *WorkTree) BlobIDs(ctx context.Context, commit string) (map[string]string, error) {
	out, err := w.run(ctx, command{args: []string{"ls-tree", "-r", "-z", "--full-tree", commit}})
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", commit, err)
	}
	ids := map[string]string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		if fields := strings.Fields(about); len(fields) == 3 && strings.HasPrefix(fields[0], "100") {
			ids[name] = fields[2]
		}
	}
	return ids, nil
}

// blobID returns an id of git's raw differences, "" for that of no file.
func blobID(id string) string {
	if strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}
