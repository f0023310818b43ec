package pkgmerge

import (
	"bytes"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/merge"
)

// betweenDocuments is the text around a resource that all three sides have as a document of one file
// (rules/files: comments between documents): each side's, and the merged one.
type betweenDocuments struct {
	// marker has the comments behind the document's marker. above has the documents of comments between this resource
	// and the one before it that all sides share; below has the ones at the end of the file, if local has no such
	// resource behind this one.
	marker, above, below [3]string
	// merged has the texts of the result in the same order, nil for local's.
	merged [3]*string
}

// commentSeparator separates documents of comments in one text.
const commentSeparator = "\n---\n"

// findBetween finds the texts between the documents of files.
func (p *plan) findBetween(matches []*Match) {
	if !p.ofFiles || p.driven != nil {
		return
	}
	files := map[string]map[*Resource]*Match{}
	for _, match := range matches {
		name, ok := match.sharedFile()
		if !ok {
			continue
		}
		match.between = &betweenDocuments{marker: p.markerComments(match)}
		if p.isAlone(match) {
			continue
		}
		if files[name] == nil {
			files[name] = map[*Resource]*Match{}
		}
		for _, r := range match.Versions {
			files[name][r] = match
		}
	}
	for name, shared := range files {
		p.findCommentDocuments(name, shared)
	}
}

// isAlone reports whether a resource is the only document of its file on all sides.
func (p *plan) isAlone(match *Match) bool {
	for side, r := range match.Versions {
		if len(p.packages[side].content(r.File).stream.Documents) != 1 {
			return false
		}
	}
	return true
}

// markerComments returns the comments behind a document's markers. The first document of a file may lack its
// marker: upstream has origin's comment then, and no comment of local's collides.
func (p *plan) markerComments(match *Match) (comments [3]string) {
	var documents [3]stream.Document
	for side, r := range match.Versions {
		documents[side] = p.packages[side].content(r.File).stream.Documents[r.document]
		comments[side] = documents[side].MarkerComment()
	}
	o, l := comments[identity.Origin], comments[identity.Local]
	isFirst := match.Versions[identity.Local].document == 0
	if !documents[identity.Upstream].HasMarker() || isFirst && o != l {
		comments[identity.Upstream] = o
	}
	return comments
}

// sharedFile returns the file that has the resource as a document on all three sides.
func (m *Match) sharedFile() (name string, ok bool) {
	for side, r := range m.Versions {
		if r == nil || r.Listed() != r || side > 0 && r.File != name {
			return "", false
		}
		name = r.File
	}
	return name, true
}

// findCommentDocuments finds the documents of comments around the shared resources of a file.
func (p *plan) findCommentDocuments(name string, shared map[*Resource]*Match) {
	var below [3]string
	var last *Match
	for _, side := range identity.Sides() {
		c := p.packages[side].content(name)
		at := make(map[int]*Match, len(c.resources))
		for _, r := range c.resources {
			at[r.document] = shared[r]
		}
		var comments []string
		for n, d := range c.stream.Documents {
			if text := commentsOf(d); text != "" {
				comments = append(comments, text)
			} else if match := at[n]; match != nil {
				match.between.above[side] = strings.Join(comments, commentSeparator)
				comments, last = nil, match
			}
		}
		below[side] = strings.Join(comments, commentSeparator)
	}
	last.between.below = below // local is the last side
}

// commentsOf returns the comments of a document of nothing else.
func commentsOf(d stream.Document) string {
	if !d.IsEmpty() {
		return ""
	}
	return string(bytes.TrimSpace(d.Text))
}

// mergeBetween merges the texts between the documents, and adds the conflicts to the outcome.
func (m *merger) mergeBetween(match *Match, out *merge.Outcome) {
	if match.between == nil || out.Verdict == merge.Drop {
		return
	}
	between := *match.between
	for i, texts := range [3][3]string{between.marker, between.above, between.below} {
		merged, conflicts := merge.MergeComment(texts, match.policy())
		out.Conflicts = append(out.Conflicts, conflicts...)
		between.merged[i] = nil
		if merged != texts[identity.Local] {
			between.merged[i] = &merged
		}
	}
	match.between = &between
}

// markerLine returns the merged line of the document's marker, nil for local's.
func (b *betweenDocuments) markerLine() []byte {
	if b == nil || b.merged[0] == nil {
		return nil
	}
	return []byte(strings.TrimSpace("--- "+*b.merged[0]) + "\n")
}

// withComments returns the documents of a file, in which the documents of comments since a shared resource
// are replaced by a merged text. from is the index behind that resource.
func withComments(out []placed, from int, base *content, merged *string) []placed {
	if merged == nil {
		return out
	}
	kept, at := out[:from:from], -1
	for _, p := range out[from:] {
		if n := p.entry.Document; p.change != nil || n < 0 || commentsOf(base.stream.Documents[n]) == "" {
			kept = append(kept, p)
		} else if at < 0 {
			kept, at = append(kept, p), len(kept)
		}
	}
	switch entry := (stream.Entry{Document: -1, Text: []byte(*merged + "\n")}); {
	case *merged == "" && at >= 0:
		return append(kept[:at:at], kept[at+1:]...)
	case *merged == "":
		return kept
	case at < 0:
		return append(kept, placed{entry: entry})
	default:
		entry.Document = kept[at].entry.Document
		kept[at].entry = entry
		return kept
	}
}
