package gitrepo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	pkgfile "github.com/resource-merge/resource-merge/internal/file"
)

// entry is the cached copy of a remote repository: a bare one without branches. Beside it are a lock file
// and, during a fetch, a file that marks it as possibly broken.
type entry struct {
	git        Git
	repository string
	dir        string
}

// entry returns the cache entry for a repository.
func (g Git) entry(repository string) (*entry, error) {
	dir, err := g.cacheDir()
	if err != nil {
		return nil, err
	}
	name := sha256.Sum256([]byte(repository))
	return &entry{git: g, repository: repository, dir: filepath.Join(dir, hex.EncodeToString(name[:]))}, nil
}

// cacheDir creates the directory of the cache.
func (g Git) cacheDir() (dir string, err error) {
	if dir = cmp.Or(g.Cache, os.Getenv("KPT_CACHE_DIR")); dir == "" {
		if dir, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("no directory for a cache of repositories; set KPT_CACHE_DIR: %w", err)
		}
	}
	dir, err = filepath.Abs(filepath.Join(dir, "resource-merge"))
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// use calls f while no other process uses the entry. If f fails and the entry is broken, it removes the
// entry and calls f once more.
func (e *entry) use(ctx context.Context, f func() error) error {
	release, err := lock(ctx, e.dir+".lock")
	if err != nil {
		return fmt.Errorf("wait for the cache of %s: %w", Redact(e.repository), err)
	}
	defer release()
	if _, err := os.Stat(e.dir + ".busy"); err == nil { // a run was killed while it changed the entry
		if err = e.remove(ctx); err != nil {
			return err
		}
	}
	_, missing := os.Stat(e.dir)
	if err = f(); err == nil || missing != nil || ctx.Err() != nil || e.isSound(ctx) {
		return err
	}
	if err = e.remove(ctx); err != nil {
		return err
	}
	return f()
}

// isSound reports whether git can read all objects of the entry.
func (e *entry) isSound(ctx context.Context) bool {
	_, err := e.run(ctx, command{args: []string{"fsck", "--full", "--no-dangling", "--no-progress"}})
	return err == nil || ctx.Err() != nil
}

func (e *entry) remove(ctx context.Context) error {
	sessionOf(ctx).forget(e.dir)
	return errors.Join(os.RemoveAll(e.dir), os.RemoveAll(e.dir+".busy"))
}

// change creates the entry if it is missing, and calls f, which changes it. The mark of a broken entry stays
// if the context ended f.
func (e *entry) change(ctx context.Context, format string, f func() error) error {
	if err := os.WriteFile(e.dir+".busy", nil, 0o600); err != nil {
		return err
	}
	if _, err := os.Stat(e.dir); err != nil {
		init := []string{"init", "--quiet", "--bare", "--template=", "--object-format=" + format, "--", e.dir}
		if _, err := e.git.run(ctx, command{args: init}); err != nil {
			return fmt.Errorf("make the cache of %s: %w", Redact(e.repository), err)
		}
	}
	err := f()
	if ctx.Err() != nil {
		return err
	}
	return errors.Join(err, os.Remove(e.dir+".busy"))
}

// asRepository returns the entry as a repository.
func (e *entry) asRepository() repository {
	return repository{dir: e.dir, top: e.dir, attributes: filepath.Join(e.dir, "info", "attributes"), run: e.run}
}

// run runs git in the entry, without maintenance in the background.
func (e *entry) run(ctx context.Context, c command) ([]byte, error) {
	c.args = append([]string{"--git-dir=" + e.dir, "-c", "gc.auto=0", "-c", "maintenance.auto=false"}, c.args...)
	return e.git.run(ctx, c)
}

// lock waits until no other process has locked a file, and locks it. The system releases the lock when the
// process ends.
func lock(ctx context.Context, name string) (release func(), err error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		locked, err := pkgfile.TryLock(file)
		if locked {
			return func() { _ = file.Close() }, nil // it has no data to lose
		}
		select {
		case <-ctx.Done():
			err = errors.Join(err, context.Cause(ctx))
		case <-time.After(wait):
		}
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
}

// format returns git's name for the hash of an id.
func format(id string) string {
	if len(id) == 2*sha256.Size {
		return "sha256"
	}
	return "sha1"
}

// absolute returns a repository, with its absolute path if it is a path.
func absolute(repository string) (string, error) {
	if strings.Contains(repository, "://") || isHostPath(repository) {
		return repository, nil
	}
	if host, _, found := strings.Cut(repository, ":"); found && !strings.ContainsAny(host, `/\.`) && len(host) > 1 {
		return repository, nil // host:path, without a user
	}
	return filepath.Abs(repository)
}
