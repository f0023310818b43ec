package cli

import (
	"bytes"
	"io"
	"os"
)

// readAll reads r to its end, in parts that are joined; a file has one part. A part is fresh
// memory, which need not be cleared first, unlike a buffer that grows.
func readAll(r io.Reader) ([]byte, error) {
	var parts [][]byte
	for size := firstPart(r); ; size = min(2*size, 1<<23) {
		part := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
		n, err := part.ReadFrom(io.LimitReader(r, size))
		parts = append(parts, part.Bytes())
		switch {
		case err != nil:
			return nil, err
		case n < size && len(parts) == 1:
			return parts[0], nil
		case n < size:
			return bytes.Join(parts, nil), nil
		}
	}
}

// firstPart returns the number of bytes to read first: more than r has, if r is a file.
func firstPart(r io.Reader) int64 {
	if file, is := r.(*os.File); is {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size() + 1
		}
	}
	return 1 << 16
}
