package pkgmerge

import (
	"bytes"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/stream"
)

// placed is a document of a file that is put together; one that is empty has no change.
type placed struct {
	entry  stream.Entry
	change *Change
}

// newcomer is a document that was added to a file or moved there, with its header.
func (m *merger) newcomer(c *Change) placed {
	header := m.header(c)
	if header == nil && c.Moved {
		header, _ = m.headerOn(c, identity.Local)
	} else if header == nil {
		header, _ = m.headerOn(c, identity.Upstream)
	}
	return placed{entry: stream.Entry{Document: -1, Header: header, Text: c.Result.item.Text()}, change: c}
}

// header is upstream's header of a document, if only upstream changed it; else nil,
// for local's. What stands above the first document of a file is the file's.
func (m *merger) header(c *Change) []byte {
	var headers [3][]byte
	for _, side := range identity.Sides() {
		header, below := m.headerOn(c, side)
		if !below {
			return nil
		}
		headers[side] = stream.LikeIn(header, []byte("\n"))
	}
	if !bytes.Equal(headers[identity.Origin], headers[identity.Local]) {
		return nil
	}
	return headers[identity.Upstream]
}

// headerOn is a side's header of a document that is below others in its file; below
// reports whether it is one.
func (m *merger) headerOn(c *Change, side identity.Side) (header []byte, below bool) {
	r := c.Versions[side]
	if r == nil || r.document == 0 {
		return nil, false
	}
	return m.packages[side].content(r.File).stream.Documents[r.document].Header, true
}
