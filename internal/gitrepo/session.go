package gitrepo

import (
	"context"
	"errors"
	"sync"
)

// Session returns a context for a run of the program. In it each remote is asked for its branches and tags once, each
// repository around a package is looked up once, with the commit that is checked out then, and one process of git reads
// all versions of a repository. end ends these processes.
func Session(ctx context.Context) (_ context.Context, end func()) {
	s := &session{ctx: ctx, refs: map[string]refs{}, trees: map[string]WorkTree{}, readers: map[string]*reader{}}
	return context.WithValue(ctx, sessionKey{}, s), s.end
}

// session keeps git's answers for a run. A nil session keeps nothing.
type session struct {
	ctx     context.Context // of the processes
	mutex   sync.Mutex
	refs    map[string]refs     // by the arguments of git ls-remote
	trees   map[string]WorkTree // by the directory of the nearest .git
	readers map[string]*reader  // by the directory of the repository
}

// sessionKey is the key of the session in a context.
type sessionKey struct{}

// sessionOf returns the session of a context, nil if it has none.
func sessionOf(ctx context.Context) *session {
	s, _ := ctx.Value(sessionKey{}).(*session)
	return s
}

// kept returns the answer that a session keeps for a key, or gets it, and keeps it if there is no error.
func kept[T any](s *session, of func(*session) map[string]T, key string, get func() (T, error)) (T, error) {
	if s == nil {
		return get()
	}
	s.mutex.Lock()
	answer, found := of(s)[key]
	s.mutex.Unlock()
	if found {
		return answer, nil
	}
	answer, err := get()
	if err == nil {
		s.mutex.Lock()
		of(s)[key] = answer
		s.mutex.Unlock()
	}
	return answer, err
}

// end ends all processes.
func (s *session) end() {
	for _, r := range s.readers {
		r.end()
	}
}

// forget ends the process that reads a repository.
func (s *session) forget(dir string) {
	if s == nil {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if r := s.readers[dir]; r != nil {
		r.end()
	}
}

// reader returns the reader of a repository, or a new one without a session.
func (s *session) reader(ctx context.Context, r repository) *reader {
	if s == nil {
		return newReader(ctx, r)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.readers[r.dir] == nil {
		s.readers[r.dir] = newReader(s.ctx, r)
	}
	return s.readers[r.dir]
}

// repository is a repository whose objects are read.
type repository struct {
	// dir is the directory of the repository, and top is that in which git runs.
	dir, top string
	// attributes is the repository's own file of attributes, which no commit has.
	attributes string
	run        func(context.Context, command) ([]byte, error)
}

// reader reads the objects of a repository by one process of git, which the first read starts.
type reader struct {
	repository
	ctx     context.Context // of the process
	mutex   sync.Mutex
	objects *Objects // nil without a process
	// convertsNothing reports whether git checks out all files as they are, unless an attribute of their version says otherwise.
	convertsNothing func() bool
}

func newReader(ctx context.Context, r repository) *reader {
	return &reader{repository: r, ctx: ctx, convertsNothing: sync.OnceValue(func() bool { return r.convertsNothing(ctx) })}
}

// read calls f with the objects of the repository. If git's process failed, the next call starts another one.
func (r repository) read(ctx context.Context, f func(*reader) error) (err error) {
	s := sessionOf(ctx)
	one := s.reader(ctx, r)
	if s == nil {
		defer one.end()
	}
	one.mutex.Lock()
	defer one.mutex.Unlock()
	if one.objects == nil {
		if one.objects, err = r.objects(one.ctx, "--batch"); err != nil {
			one.objects = nil
			return err
		}
	}
	if err = f(one); errors.As(err, new(*Failure)) {
		_ = one.objects.Close() // it has failed
		one.objects = nil
	}
	return err
}

// end ends the process.
func (r *reader) end() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.objects != nil {
		_ = r.objects.Close() // all answers were read
		r.objects = nil
	}
}
