package stream_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/internal/stream"
)

// files draws files made of pieces.
func files() *rapid.Generator[string] {
	pieces := []string{
		"---\n", "--- # web\n", "---", "--- {a: 1}\n", "...\n", "... # end\n", "%YAML 1.2\n", "# comment\n", "\n", "  # deep\n",
		"a: 1\n", "b: |\n  ---\n  ...\n  %a\n", "c:\n- 1\n", "{d: 1}\n", "---\r\n", "a: 1\r\n", "\r\n", "# a\r\n", "e: 1", "  \n",
		"---a: 1\n", "\x00", "%", "{\n", "--- |\n  a\n",
	}
	return rapid.Custom(func(t *rapid.T) string {
		mark := rapid.SampledFrom([]string{"", "\uFEFF"}).Draw(t, "mark")
		return mark + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
	})
}

// TestJoinGivesTheSameBytes: joining the documents of a file gives the same file.
func TestJoinGivesTheSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := files().Draw(t, "file")
		s := stream.Read([]byte(data))
		var entries []stream.Entry
		for i := range s.Documents {
			entries = append(entries, stream.Entry{Document: i})
		}
		file, joined := s.Join(entries)
		if string(file) != data {
			t.Fatalf("%q became %q", data, file)
		}
		for i, d := range s.Documents {
			if len(d.Text) > 0 && joined[i].Line != d.Line {
				t.Fatalf("document %d of %q is in line %d, not %d", i, data, joined[i].Line, d.Line)
			}
			if text := joined[i].Text; text != nil && !bytes.Equal(text, d.Text) {
				t.Fatalf("document %d of %q is %q in the file", i, data, text)
			}
		}
	})
}

// decoded returns the documents that the decoder finds, nil if data is no YAML.
func decoded(data []byte) (values []*yaml.Node) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return values
		}
		if err != nil {
			return nil
		}
		values = append(values, document.Content[0])
	}
}

// value returns a node without its place and comments.
func value(n *yaml.Node) string {
	out := n.ShortTag() + " " + n.Value
	for _, c := range n.Content {
		out += "(" + value(c) + ")"
	}
	return out
}

// TestDocumentsAreTheDecoders: a file has the documents that the decoder finds.
func TestDocumentsAreTheDecoders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := files().Draw(t, "file")
		want := decoded([]byte(data))
		if want == nil {
			return
		}
		s := stream.Read([]byte(data))
		if len(s.Documents) != len(want) {
			t.Fatalf("%q has %d documents, not %d", data, len(want), len(s.Documents))
		}
		for i, d := range s.Documents {
			got := decoded(d.Text)
			switch {
			case d.IsEmpty():
				if want[i].ShortTag() != "!!null" {
					t.Fatalf("%q: document %d is empty", data, i)
				}
			case len(got) != 1 || value(got[0]) != value(want[i]):
				t.Fatalf("%q: document %d is %q", data, i, d.Text)
			}
		}
	})
}

func TestJoin(t *testing.T) {
	const two = "# Licence\n\n# one\na: 1\n---\n# two\nb: 1\n"
	const marked = "# Licence\n---\na: 1\n--- # two\nb: 1\n"
	own := func(i int) stream.Entry { return stream.Entry{Document: i} }
	text := func(i int, text string) stream.Entry { return stream.Entry{Document: i, Text: []byte(text)} }
	for _, tt := range []struct {
		name, file string
		entries    []stream.Entry
		want       string
	}{
		{"first removed", two, []stream.Entry{own(1)}, "# Licence\n\n# two\nb: 1\n"},
		{"last removed", two, []stream.Entry{own(0)}, "# Licence\n\n# one\na: 1\n"},
		{"replaced", two, []stream.Entry{own(0), text(1, "c: 1\n")}, "# Licence\n\n# one\na: 1\n---\nc: 1\n"},
		{"inserted first", two, []stream.Entry{text(-1, "c: 1\n"), own(0), own(1)}, "# Licence\n\nc: 1\n---\n# one\na: 1\n---\n# two\nb: 1\n"},
		{"inserted between", two, []stream.Entry{own(0), text(-1, "c: 1\n"), own(1)}, "# Licence\n\n# one\na: 1\n---\nc: 1\n---\n# two\nb: 1\n"},
		{"appended", "a: 1", []stream.Entry{own(0), text(-1, "c: 1\n")}, "a: 1\n---\nc: 1\n"},
		{"appended to CRLF", "a: 1\r\n", []stream.Entry{own(0), text(-1, "c: 1\nd: 1")}, "a: 1\r\n---\r\nc: 1\r\nd: 1"},
		{"appended above the end", "a: 1\n...\n", []stream.Entry{own(0), text(-1, "c: 1\n")}, "a: 1\n---\nc: 1\n...\n"},
		{"first removed, marked", marked, []stream.Entry{own(1)}, "# Licence\n--- # two\nb: 1\n"},
		{"last removed, marked", marked, []stream.Entry{own(0)}, "# Licence\n---\na: 1\n"},
		{"first removed of marks", "---\na: 1\n---\nb: 1\n", []stream.Entry{own(1)}, "---\nb: 1\n"},
		{"content behind the mark", "--- {a: 1}\n--- {b: 1}\n", []stream.Entry{own(1)}, "--- {b: 1}\n"},
		{"empty", "", []stream.Entry{text(-1, "c: 1\n")}, "c: 1\n"},
		{"inserted first, marked", marked, []stream.Entry{text(-1, "c: 1\n"), own(0), own(1)}, "# Licence\n---\nc: 1\n---\na: 1\n--- # two\nb: 1\n"},
		{"byte order mark", "\uFEFFa: 1\n---\nb: 1\n", []stream.Entry{own(1)}, "\uFEFFb: 1\n"},
		{"directive", "%YAML 1.2\n---\na: 1\n---\nb: 1\n", []stream.Entry{own(1)}, "%YAML 1.2\n---\nb: 1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := stream.Read([]byte(tt.file)).Join(tt.entries); string(got) != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}
