// Package sink writes the result of a merge: to a directory, a stream, or as a difference.
package sink

import (
	"bytes"
	"context"
	"io"

	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Sink writes the result of a merge.
type Sink interface {
	Write(context.Context, *pkgmerge.Result) error
}

// Stream writes the documents of the merged package one after the other, as kubectl reads them: the
// files with resources in the order of their names, with a line `---` between two files. A file keeps
// its bytes, except for a byte order mark behind the first file, and a missing line break before
// another file. Other files, such as a README, a script or the values of a chart, are left out; but the
// values are written if the package has no resource with a kind, and all files if no document can be
// read.
type Stream struct{ To io.Writer }

// Write writes the documents.
func (s Stream) Write(ctx context.Context, result *pkgmerge.Result) error {
	const name = "the merged documents"
	files, err := anyFiles(name, result)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err = s.To.Write(joined(files, documentFiles(result.Package(), files)))
	return err
}

// documentFiles returns the names of the files with documents to write.
func documentFiles(p pkgmerge.Package, files []pkgmerge.File) map[string]bool {
	withKind, withDocument, all := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range p.Resources {
		withDocument[r.File] = true
		if r.Meta.Kind != "" {
			withKind[r.File] = true
		}
	}
	for _, f := range files {
		all[f.Name] = true
	}
	for _, set := range []map[string]bool{withKind, withDocument} {
		if len(set) > 0 {
			return set
		}
	}
	return all
}

// joined returns the files of a set as one stream.
func joined(files []pkgmerge.File, set map[string]bool) []byte {
	var out []byte
	for _, f := range files {
		if !set[f.Name] {
			continue
		}
		if len(out) == 0 {
			out = append(out, f.Data...)
			continue
		}
		data := bytes.TrimPrefix(f.Data, []byte("\ufeff"))
		if out[len(out)-1] != '\n' {
			out = append(out, stream.LineEnd(out)...)
		}
		out = append(append(out, separator(data)...), data...)
	}
	return out
}

// separator returns the separator between a document and a file behind it: the end of the document
// before a directive, and nothing before a file that begins with a separator.
func separator(data []byte) string {
	for line := range bytes.Lines(data) {
		switch trimmed := bytes.TrimSpace(line); {
		case len(trimmed) == 0 || trimmed[0] == '#':
		case line[0] == '%':
			return "..." + stream.LineEnd(data)
		case bytes.HasPrefix(line, []byte("---")) && (len(trimmed) == 3 || line[3] == ' ' || line[3] == '\t'):
			return ""
		default:
			return "---" + stream.LineEnd(data)
		}
	}
	return "---" + stream.LineEnd(data)
}
