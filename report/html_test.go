package report_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// checkHTML finds elements and attributes that the page does not have by itself, a
// script or style that is not its own, and comments.
func checkHTML(t fatal, text string) {
	elements := strings.Fields("html head meta title style body header h1 h2 h3 h4 p main form fieldset legend label input select option button ol ul li details summary span div section code pre table caption thead tbody tr th td del ins aside textarea script")
	attributes := strings.Fields("open data-next lang charset http-equiv content name id class role aria-label aria-labelledby hidden type value checked autocomplete spellcheck data-kind data-action data-conflicts data-search data-rule tabindex scope colspan for readonly rows")
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatalf("no HTML: %v", err)
	}
	scripts := 0
	for n := range root.Descendants() {
		switch {
		case n.Type == html.CommentNode:
			t.Fatalf("HTML has a comment: %s", n.Data)
		case n.Type != html.ElementNode:
			continue
		case !slices.Contains(elements, n.Data):
			t.Fatalf("HTML has element %s", n.Data)
		case n.Data == "script" || n.Data == "style":
			scripts++
		}
		for _, a := range n.Attr {
			if !slices.Contains(attributes, a.Key) {
				t.Fatalf("HTML has attribute %s of %s", a.Key, n.Data)
			}
		}
	}
	want := 2
	if strings.Contains(text, "<h1>Merges of a fleet</h1>") {
		want = 1 // its page has no script
	}
	if scripts != want {
		t.Fatalf("HTML has %d scripts and styles", scripts)
	}
}

// TestHTMLIsSelfContained finds addresses of something elsewhere.
func TestHTMLIsSelfContained(t *testing.T) {
	text := written(t, format("html"), reportOf(t, quickstart(t), pkgmerge.Options{}, report.Options{}))
	for _, elsewhere := range []string{"http:", "https:", "src=", "href=", "url(", "@import"} {
		if strings.Contains(text, elsewhere) {
			t.Errorf("the page has %s", elsewhere)
		}
	}
}
