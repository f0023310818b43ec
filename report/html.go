package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// HTML is the report as one page to read and to decide conflicts in (design 19). It needs
// nothing from elsewhere, and without its script it can still be read.
type HTML struct{}

//go:embed page/page.html
var pageTemplate string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

// Name is html.
func (HTML) Name() string { return "html" }

// page is what the template has.
type page struct {
	Policy    string
	Style     template.CSS
	Script    template.JS
	Summary   Summary
	Kinds     []string
	Resources []pageResource
	Notices   []Notice
}

// pageResource is a resource with what a template cannot ask for.
type pageResource struct {
	*Resource
	Comparison Comparison
	Edits      []Edit // of one whose text is not shown
	Drift      []Drift
	Conflicts  []pageConflict
	// Search is where the filter looks.
	Search string
}

// pageConflict is a conflict with what can be chosen.
type pageConflict struct {
	*Conflict
	Number  int
	Values  []pageValue
	Choices []pageChoice
	Chosen  string
}

type pageValue struct {
	Side  string
	Taken bool
	Value
}

// pageChoice is a side that can be taken; Rule is what takes it, "" if that is so already.
type pageChoice struct{ Side, Rule string }

// Write writes the page.
func (HTML) Write(w io.Writer, r *Report) error {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return err
	}
	p := page{Policy: contentPolicy(), Style: template.CSS(pageStyle), Script: template.JS(pageScript), Summary: r.Summary, Notices: r.Notices}
	number := 0
	for _, it := range r.Resources {
		found, err := newPageResource(it, &number)
		if err != nil {
			return err
		}
		p.Resources = append(p.Resources, found)
		p.Kinds = append(p.Kinds, it.Kind)
	}
	slices.Sort(p.Kinds)
	p.Kinds = slices.Compact(p.Kinds)
	b := bufio.NewWriter(w)
	if err := t.Execute(b, p); err != nil {
		return err
	}
	return b.Flush()
}

// contentPolicy allows the page its own style and script and nothing else.
func contentPolicy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(pageStyle) + "; script-src " + hash(pageScript) + "; base-uri 'none'; form-action 'none'"
}

func newPageResource(it *Resource, number *int) (pageResource, error) {
	out := pageResource{Resource: it, Search: strings.ToLower(it.Subject + " " + it.File)}
	for _, c := range it.Conflicts {
		*number++
		out.Conflicts = append(out.Conflicts, newPageConflict(c, *number))
	}
	var err error
	if out.Comparison, err = it.Comparison(); err != nil {
		return out, err
	}
	if out.Comparison.Hidden {
		if out.Edits, err = it.Edits(); err != nil {
			return out, err
		}
	}
	if it.Happened() {
		out.Drift, err = it.drift()
	}
	return out, err
}

func newPageConflict(c *Conflict, number int) pageConflict {
	out := pageConflict{Conflict: c, Number: number, Chosen: c.Chosen}
	for _, side := range identity.Sides() {
		out.Values = append(out.Values, pageValue{Side: side.String(), Taken: c.Chosen == side.String(), Value: c.Values[side]})
	}
	if c.Rule == nil {
		return out
	}
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		choice := pageChoice{Side: side.String()}
		if c.Chosen != choice.Side {
			rule := *c.Rule
			rule.Prefer = choice.Side
			choice.Rule = rule.YAML()
		}
		out.Choices = append(out.Choices, choice)
	}
	return out
}
