package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

// A list is read whole, whatever its length is beside that of the parts, from a pipe and
// from a file.
func TestReadAll(t *testing.T) {
	for _, length := range []int{0, 1, 1<<16 - 1, 1 << 16, 1<<16 + 1, 3 << 16, 3<<16 + 1, 5 << 20} {
		want := bytes.Repeat([]byte("0123456789abcdef!"), length/17+1)[:length]
		for name, r := range map[string]io.Reader{
			"pipe":  bytes.NewReader(want),
			"slow":  iotest.HalfReader(iotest.DataErrReader(bytes.NewReader(want))),
			"file":  tempFile(t, want, 0),
			"lower": tempFile(t, append([]byte("above"), want...), 5),
		} {
			got, err := readAll(r)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s of %d bytes: read %d, %v", name, length, len(got), err)
			}
		}
	}
}

// Half a list is an error, also where the reader calls it an unexpected end.
func TestReadAllFails(t *testing.T) {
	for _, length := range []int{0, 10, 1 << 16, 1<<16 + 1} {
		for _, want := range []error{os.ErrDeadlineExceeded, io.ErrUnexpectedEOF} {
			_, err := readAll(io.MultiReader(bytes.NewReader(make([]byte, length)), iotest.ErrReader(want)))
			if !errors.Is(err, want) {
				t.Errorf("after %d bytes: %v, want %v", length, err, want)
			}
		}
	}
}

// tempFile returns a file after some of its bytes were read.
func tempFile(t *testing.T, data []byte, read int64) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Seek(read, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	return f
}
