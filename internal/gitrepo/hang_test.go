package gitrepo

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// deaf is a remote that takes connections and then does with them what it likes.
func deaf(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn)
		}
	}()
	return "git://" + listener.Addr().String() + "/a"
}

func hang(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// A remote that never says anything is given up after the patience, or when the
// context ends.
func TestFetchFromARemoteThatHangs(t *testing.T) {
	isolate(t)
	remote := Remote{Repository: deaf(t, hang), Ref: "v1"}
	_, err := Git{Cache: t.TempDir(), Patience: 50 * time.Millisecond}.Fetch(context.Background(), remote)
	if !errors.Is(err, errSilent) {
		t.Errorf("got %v, want %v", err, errSilent)
	}
	refused(t, err, "does not answer")
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	_, err = Git{Cache: t.TempDir()}.Fetch(ctx, remote)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

// A fetch that is ended in the middle leaves a cache that works.
func TestFetchThatIsEndedInTheMiddle(t *testing.T) {
	u := newUpstream(t)
	g := Git{Cache: t.TempDir()}
	e, err := g.entry(u.dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	err = e.use(ctx, func() error {
		return e.change(ctx, "sha1", func() error {
			stop()
			return ctx.Err()
		})
	})
	isMarked := func() bool {
		_, err := os.Stat(e.dir + ".busy")
		return err == nil
	}
	if !errors.Is(err, context.Canceled) || !isMarked() {
		t.Fatalf("got %v; marked: %v", err, isMarked())
	}
	fetch(t, g, u.at("v1")).same(t, u.old)
	if isMarked() {
		t.Error("the mark is still there")
	}
}

// Who waits for another run's lock stops waiting when the context ends.
func TestLockEnds(t *testing.T) {
	name := t.TempDir() + "/lock"
	release, err := lock(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer stop()
	if _, err = lock(ctx, name); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
	release()
	if release, err = lock(context.Background(), name); err != nil {
		t.Fatal(err)
	}
	release()
}

// A remote that goes away in the middle is one error.
func TestFetchFromARemoteThatGoesAway(t *testing.T) {
	isolate(t)
	gone := deaf(t, func(conn net.Conn) {
		_, _ = conn.Write([]byte("00"))
		_ = conn.Close()
	})
	_, err := Git{Cache: t.TempDir()}.Fetch(context.Background(), Remote{Repository: gone, Ref: "v1"})
	refused(t, err, gone)
}
