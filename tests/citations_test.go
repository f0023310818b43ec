package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCitations finds citations of rules that docs/rules does not have. Code, cases and
// documents cite a rule by its page and heading, as in "rules/lists: duplicate keys". The
// test also finds citations of sections by number, and names of documents that do not exist.
func TestCitations(t *testing.T) {
	headings := ruleHeadings(t)
	found := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !mayCite(path) {
			return err
		}
		text, err := os.ReadFile(path)
		found += checkCitations(t, headings, path, string(text))
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("%d citations, %v", found, err)
	}
}

// mayCite reports whether a file may cite a rule: code, documents, and the scripts and
// workflows that have comments.
func mayCite(path string) bool {
	switch filepath.Ext(path) {
	case ".go", ".md", ".txt", ".txtar", ".yaml", ".yml":
		return true
	}
	return false
}

var (
	lineBreak    = regexp.MustCompile(`\s*\n\s*(?:(?://|#)\s*)?`)
	ruleCited    = regexp.MustCompile(`(?:^|[^/\w])rules/([a-z][a-z-]*)(:?) `)
	numbered     = regexp.MustCompile(`(?i)\bdesign,? \d+(?:\.\d+)*`)
	documentName = regexp.MustCompile(`(?:^|[^/\w])(docs/[a-z-]+(?:/[a-zA-Z-]+)?\.md)\b`)
)

// checkCitations checks the citations in the text of a file, and returns their number. A
// citation may go on in the next line of a comment.
func checkCitations(t *testing.T, headings map[string][]string, path, text string) int {
	t.Helper()
	if strings.Contains(text, "esign") {
		if cited := numbered.FindString(text); cited != "" {
			t.Errorf("%s cites %q: name a page and heading of docs/rules", path, cited)
		}
	}
	if filepath.Ext(path) == ".go" && strings.Contains(text, "docs/") {
		for _, name := range documentName.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(name[1]); err != nil {
				t.Errorf("%s names %s, which does not exist", path, name[1])
			}
		}
	}
	if !strings.Contains(text, "rules/") {
		return 0
	}
	text = lineBreak.ReplaceAllString(text, " ") + " "
	cited := ruleCited.FindAllStringSubmatchIndex(text, -1)
	for _, c := range cited {
		page, rest := text[c[2]:c[3]], strings.ToLower(text[c[1]:min(len(text), c[1]+80)])
		known, ok := headings[page]
		if !ok {
			t.Errorf("%s cites rules/%s, and docs/rules has no such page", path, page)
		} else if c[4] < c[5] && !beginsWithHeading(rest, known) {
			t.Errorf("%s cites %q, and docs/rules/%s.md has no such heading", path, "rules/"+page+": "+rest, page)
		}
	}
	return len(cited)
}

// beginsWithHeading reports whether a text begins with one of the headings as whole words.
func beginsWithHeading(text string, headings []string) bool {
	for _, heading := range headings {
		if rest, ok := strings.CutPrefix(text, heading); ok && !regexp.MustCompile(`^[\w-]`).MatchString(rest) {
			return true
		}
	}
	return false
}

// ruleHeadings returns the headings of each page of docs/rules, in lower case and without
// marks of code.
func ruleHeadings(t *testing.T) map[string][]string {
	t.Helper()
	pages, err := filepath.Glob("docs/rules/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages of rules, %v", len(pages), err)
	}
	out := map[string][]string{}
	for _, page := range pages {
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		out[name] = nil
		for _, heading := range headingsOf(string(readOptional(t, page))) {
			out[name] = append(out[name], strings.ToLower(strings.ReplaceAll(heading, "`", "")))
		}
	}
	return out
}

// headingsOf returns the headings of a Markdown text, but for those in code.
func headingsOf(text string) []string {
	var out []string
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		if heading := regexp.MustCompile(`^#+ (.*)`).FindStringSubmatch(strings.TrimRight(line, "\n")); heading != nil && !code {
			out = append(out, heading[1])
		}
	}
	return out
}
