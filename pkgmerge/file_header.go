package pkgmerge

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/merge"
)

// placed is a document of an assembled file; an empty one has no change.
type placed struct {
	entry  stream.Entry
	change *Change
}

// findHeirs finds the files whose documents upstream moved away (rules/files: renamed and split files): the text
// above and between the documents goes along with the first document in a file that local lacks.
func (a *assembly) findHeirs(names []string, byFile map[string][]*Change) {
	gone, first := a.firstMoved(names, byFile)
	a.heirs, a.filesLeft = map[string]string{}, map[string]bool{}
	for _, name := range names {
		a.filesLeft[name] = true
	}
	for _, was := range gone {
		if heir := first[was].Result.File; a.heirs[heir] == "" {
			a.heirs[heir], a.filesLeft[was] = was, true
		}
	}
}

// firstMoved finds the files of local that the result lacks, and for each of them its first document that
// goes to a file that local lacks.
func (a *assembly) firstMoved(names []string, byFile map[string][]*Change) (gone []string, first map[string]*Change) {
	first = map[string]*Change{}
	for _, name := range names {
		if a.packages[identity.Local].content(name) != nil {
			continue
		}
		for _, c := range byFile[name] {
			l := c.Versions[identity.Local]
			if !c.Moved || len(byFile[l.File]) > 0 {
				continue
			}
			if first[l.File] == nil {
				gone = append(gone, l.File)
			}
			if other := first[l.File]; other == nil || l.document < other.Versions[identity.Local].document {
				first[l.File] = c
			}
		}
	}
	return gone, first
}

// newcomer returns a document that was added to a file or moved there, with its header, in the form of the
// file's first one.
func (a *assembly) newcomer(c *Change, in *content) placed {
	header := a.header(c)
	if header == nil && c.Moved {
		header, _ = a.headerOn(c, identity.Local)
	} else if header == nil {
		header, _ = a.headerOn(c, identity.Upstream)
	}
	if c.Moved {
		header = slices.Concat(a.looseComments(c), header)
	}
	text := c.Result.item.Text()
	if len(in.resources) > 0 {
		text = c.Result.item.TextLike(in.resources[0].item)
	}
	return placed{entry: stream.Entry{Document: -1, Header: header, Text: text}, change: c}
}

// looseComments returns the comments of local around c in a deleted file (rules/files: renamed and split
// files): the file's header if c is its first document, and documents of only comments, above c or below it
// if c is the last one. There are none if another file takes the text between the documents.
func (a *assembly) looseComments(c *Change) (out []byte) {
	l := c.Versions[identity.Local]
	if a.filesLeft[l.File] {
		return nil
	}
	documents := a.packages[identity.Local].content(l.File).stream.Documents
	from, to := looseAround(documents, l.document)
	known := map[string]bool{}
	if o := a.packages[identity.Origin].content(l.File); o.isStructured() {
		for _, d := range o.stream.Documents {
			known[string(d.Comments())] = true
		}
	}
	for i, d := range documents[from:to] {
		if text := d.Comments(); !known[string(text)] && (from+i == 0 || d.IsEmpty()) {
			out = append(out, text...)
		}
	}
	return out
}

// looseAround returns the range of document n with the empty documents directly above it, and with the ones
// below it if no other document follows.
func looseAround(documents []stream.Document, n int) (from, to int) {
	from, to = n, n+1
	for from > 0 && documents[from-1].IsEmpty() {
		from--
	}
	for to < len(documents) && documents[to].IsEmpty() {
		to++
	}
	if to < len(documents) {
		to = n + 1
	}
	return from, to
}

// ownHeader returns the header that local gave a document that upstream moved, nil if it is origin's.
func (a *assembly) ownHeader(c *Change) []byte {
	if !c.Moved {
		return nil
	}
	loose := a.looseComments(c)
	header, below := a.headerOn(c, identity.Local)
	if !below {
		return loose
	}
	was, _ := a.headerOn(c, identity.Origin)
	if bytes.Equal(was, header) {
		if loose == nil {
			return nil
		}
		header, _ = a.headerOn(c, identity.Upstream)
	}
	return append(loose, header...)
}

// fileHeader has the comments at the top of a file of the result: as one text, or above and below the marker of the first
// document. nil is local's text.
type fileHeader struct {
	file                string
	whole, above, below []byte
}

// mergeComments merges the comments above a document (rules/files: headers), and adds the conflict to the outcome if both
// sides changed them. The comments above upstream's first document belong to the file, and stay if local removed the document.
func (m *merger) mergeComments(match *Match, out *merge.Outcome) {
	if !m.ofFiles || m.driven != nil {
		return
	}
	merged := func(comments [3]string) (header []byte) {
		text, conflicts := merge.MergeComment(comments, match.policy())
		out.Conflicts = append(out.Conflicts, conflicts...)
		if text != comments[identity.Local] {
			header = []byte(strings.TrimPrefix(text+"\n\n", "\n\n"))
		}
		return header
	}
	if comments, ofFile := m.fileComments(match); ofFile {
		match.fileHeader = &fileHeader{file: m.headerFile(match)}
		if above, below, ok := m.commentsAround(match.fileHeader.file, comments); ok {
			match.fileHeader.above, match.fileHeader.below = merged(above), merged(below)
		} else {
			match.fileHeader.whole = merged(comments)
		}
		if h := match.fileHeader; h.whole == nil && h.above == nil && h.below == nil {
			match.fileHeader = nil
		}
	} else if comments, ofDocument := m.documentComments(match); ofDocument && out.Verdict != merge.Drop {
		match.header = merged(comments)
	}
}

// commentsAround returns the comments at the top of each side's file in two parts, above the marker and below it. ok is false
// unless each side has such a marker, and no side has a line of comments where another one has it on the other side of it.
func (m *merger) commentsAround(file string, comments [3]string) (above, below [3]string, ok bool) {
	for _, side := range identity.Sides() {
		c := m.packages[side].content(file)
		if !c.isStructured() || len(c.stream.Documents) == 0 || !c.stream.Documents[0].HasMarker() {
			return above, below, false
		}
		first := c.stream.Documents[0]
		a, b := first.CommentsAround()
		above[side], below[side] = strings.TrimSpace(string(a)), strings.TrimSpace(string(b))
		if strings.TrimSpace(string(first.Comments())) != comments[side] {
			return above, below, false
		}
	}
	for line := range strings.SplitSeq(strings.Join(below[:], "\n"), "\n") {
		if strings.Trim(line, "# ") != "" && slices.Contains(strings.Split(strings.Join(above[:], "\n"), "\n"), line) {
			return above, below, false
		}
	}
	return above, below, true
}

// fileComments returns the comments at the top of each side's file, if the resource is upstream's first one there, and
// local has the file, or if local moved the resource to the top of another file. Where origin lacks the file, they are the
// ones above its resource, whose file upstream renamed, and local too, perhaps by an earlier merge. If upstream alone
// renamed the file, they are the ones above the resource on all sides.
func (m *merger) fileComments(match *Match) (out [3]string, ok bool) {
	u, l := match.Versions[identity.Upstream], match.Versions[identity.Local]
	switch {
	case u == nil || u.Listed() != u:
		return out, false
	case m.isTopOfOwn(l):
		return m.movedComments(match)
	case u.document != 0:
		return out, false
	case l != nil && m.isRenamed(u, l):
		out, ok = m.movedComments(match)
		if o := m.packages[identity.Origin].content(u.File); o.isStructured() {
			out[identity.Origin] = strings.TrimSpace(string(o.stream.Documents[0].Comments()))
		}
		return out, ok || !m.packages[identity.Local].content(l.File).stream.Documents[0].HasCommentAbove(out[identity.Upstream])
	}
	var local stream.Document
	for _, side := range identity.Sides() {
		c := m.packages[side].content(u.File)
		if isFile := c.isStructured() && len(c.stream.Documents) > 0; !isFile && side == identity.Origin {
			out[side] = m.commentsOfFormer(match)
			continue
		} else if !isFile || c.stream.Documents[0].IsEmpty() {
			return out, false
		}
		local = c.stream.Documents[0]
		out[side] = strings.TrimSpace(string(local.Comments()))
	}
	if m.headerMovedBelow(match) != "" {
		out[identity.Upstream] = out[identity.Origin]
	}
	return out, out[identity.Local] != "" || !local.HasCommentAbove(out[identity.Upstream])
}

// commentsOfFormer returns origin's comments of fileComments where origin lacks upstream's file: the ones above its
// resource, else the ones at the top of the file that upstream renamed.
func (m *merger) commentsOfFormer(match *Match) string {
	former := m.packages[identity.Origin].content(m.former[match.Versions[identity.Upstream].File])
	if match.Has(identity.Origin) || !former.isStructured() || len(former.stream.Documents) == 0 {
		return m.commentsAbove(identity.Origin, match.Versions[identity.Origin])
	}
	return strings.TrimSpace(string(former.stream.Documents[0].Comments()))
}

// findFormer finds the names that files of upstream have in origin, if upstream renamed them: each lacks the other's name,
// and the first resource that they share tells.
func (p *plan) findFormer(matches []*Match) {
	if !p.ofFiles || p.driven != nil {
		return
	}
	first := map[string]*Match{}
	for _, match := range matches {
		o, u := match.Versions[identity.Origin], match.Versions[identity.Upstream]
		if o == nil || u == nil || p.packages[identity.Origin].content(u.File) != nil || p.packages[identity.Upstream].content(o.File) != nil {
			continue
		}
		if other := first[u.File]; other == nil || u.Index < other.Versions[identity.Upstream].Index {
			first[u.File] = match
		}
	}
	p.former = map[string]string{}
	for file, match := range first {
		p.former[file] = match.Versions[identity.Origin].File
	}
}

// headerFile returns the file with the comments of fileComments: upstream's, also where local has the resource elsewhere, or
// the one to whose top local moved the resource.
func (m *merger) headerFile(match *Match) string {
	if l := match.Versions[identity.Local]; m.isTopOfOwn(l) {
		return l.File
	}
	return match.Versions[identity.Upstream].File
}

// isTopOfOwn reports whether a resource of local's is the first one in a file that only local has.
func (m *merger) isTopOfOwn(l *Resource) bool {
	return l != nil && l.document == 0 && l.Listed() == l && m.isLocals(l.File)
}

// isRenamed reports whether a file of upstream's is a file of local's, as origin has it too, under a new name, and whether
// a resource is the first one in both.
func (m *merger) isRenamed(u, l *Resource) bool {
	was, is := m.packages[identity.Local].content(l.File), m.packages[identity.Upstream].content(u.File)
	return l.document == 0 && l.Listed() == l && m.packages[identity.Local].content(u.File) == nil &&
		m.packages[identity.Origin].content(l.File) != nil && m.packages[identity.Upstream].content(l.File) == nil &&
		len(was.resources) <= len(is.resources)
}

// isLocals reports whether only local has a file of a name.
func (m *merger) isLocals(name string) bool {
	return m.packages[identity.Origin].content(name) == nil && m.packages[identity.Upstream].content(name) == nil
}

// movedComments returns the comments above each side's document, if it is the first one of a file into which local moved
// it with its comments.
func (m *merger) movedComments(match *Match) (out [3]string, ok bool) {
	for _, side := range identity.Sides() {
		out[side] = m.commentsAbove(side, match.Versions[side])
	}
	if m.headerMovedBelow(match) != "" {
		out[identity.Upstream] = out[identity.Origin]
	}
	return out, out[identity.Local] != ""
}

// commentsAbove returns the comments above a side's resource, or at the top of its file if it is the first one there; ""
// if there is no such resource.
func (m *merger) commentsAbove(side identity.Side, r *Resource) string {
	if r == nil || r.Listed() != r {
		return ""
	}
	document := m.packages[side].content(r.File).stream.Documents[r.document]
	if r.document == 0 {
		return strings.TrimSpace(string(document.Comments()))
	}
	return strings.TrimSpace(string(document.Header))
}

// headerMovedBelow returns origin's comments at the top of the file if upstream has them directly above the document, and
// local changed or removed them, else "". Upstream did not change them then, so local's stand (rules/files: headers).
func (m *merger) headerMovedBelow(match *Match) string {
	var documents [3]stream.Document
	for side, r := range match.Versions {
		if !m.ofFiles || r == nil || r.document != 0 || r.Listed() != r {
			return ""
		}
		documents[side] = m.packages[side].content(r.File).stream.Documents[0]
	}
	header := documents[identity.Origin].Comments()
	above := strings.TrimSpace(string(header))
	if !documents[identity.Upstream].HasCommentAbove(above) || documents[identity.Local].HasCommentAbove(above) ||
		bytes.Equal(documents[identity.Local].Comments(), header) {
		return ""
	}
	return above
}

// withHeaderBelow puts origin's header above its resource, if upstream has it there and local changed or removed it.
func (m *merger) withHeaderBelow(match *Match) error {
	above := m.headerMovedBelow(match)
	if above == "" {
		return nil
	}
	trees, err := match.Trees()
	if err != nil {
		return match.located(err)
	}
	if o := trees[identity.Origin]; len(o.Content) > 0 && o.Content[0].HeadComment == "" {
		tree, key := *o, *o.Content[0]
		key.HeadComment = above
		tree.Content = slices.Concat([]*yaml.Node{&key}, o.Content[1:])
		match.trees[identity.Origin], match.headerBelow = &tree, true
	}
	return nil
}

// documentComments returns the comments above each side's document, if it is below others. Origin's are empty where it
// lacks the document.
func (m *merger) documentComments(match *Match) (out [3]string, ok bool) {
	var local stream.Document
	for _, side := range identity.Sides() {
		r := match.Versions[side]
		if r == nil && side == identity.Origin {
			continue
		}
		if r == nil || r.document == 0 || r.Listed() != r {
			return out, false
		}
		local = m.packages[side].content(r.File).stream.Documents[r.document]
		out[side] = strings.TrimSpace(string(local.Header))
	}
	return out, out[identity.Local] != "" || !local.HasCommentAbove(out[identity.Upstream])
}

// header returns the header of a document below others: upstream's, if only upstream changed it, else the merged one, and
// nil for local's. The text above the first document belongs to the file.
func (a *assembly) header(c *Change) []byte {
	var headers [3][]byte
	for _, side := range identity.Sides() {
		header, below := a.headerOn(c, side)
		if !below && (side != identity.Origin || c.Versions[side] != nil) {
			return nil
		}
		headers[side] = header
	}
	if !bytes.Equal(headers[identity.Origin], headers[identity.Local]) {
		return c.header
	}
	return headers[identity.Upstream]
}

// headerOn returns a side's header of a document that is below others in its file; below is false for any other
// document.
func (a *assembly) headerOn(c *Change, side identity.Side) (header []byte, below bool) {
	r := c.Versions[side]
	if r == nil || r.document == 0 {
		return nil, false
	}
	return a.packages[side].content(r.File).stream.Documents[r.document].Header, true
}
