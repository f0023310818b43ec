package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// JUnit is the report as results of tests, which any CI shows (design 19): a resource
// is a test case, and a conflict is its failure.
type JUnit struct{}

// Name is junit.
func (JUnit) Name() string { return "junit" }

type junitSuites struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Suite    junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
	Out      string      `xml:"system-out,omitempty"`
}

type junitCase struct {
	Name     string         `xml:"name,attr"`
	Class    string         `xml:"classname,attr"`
	Failures []junitFailure `xml:"failure"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// Write writes the report as XML.
func (JUnit) Write(w io.Writer, r *Report) error {
	suite := junitSuite{Name: "resource-merge"}
	for _, it := range r.Resources {
		c := junitCase{Name: it.Subject, Class: it.File}
		for _, conflict := range it.Conflicts {
			c.Failures = append(c.Failures, junitFailure{Type: conflict.Kind, Message: conflict.Message, Text: junitText(r, conflict)})
		}
		if len(c.Failures) > 0 {
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Tests = len(suite.Cases)
	out := []string{r.Summary.Message}
	for _, n := range r.Notices {
		out = append(out, n.Severity+": "+n.Message)
	}
	suite.Out = strings.Join(out, "\n")
	text, err := xml.MarshalIndent(junitSuites{Name: suite.Name, Tests: suite.Tests, Failures: suite.Failures, Suite: suite}, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+strings.ReplaceAll(string(text), "&#xA;", "\n")+"\n")
	return err
}

// junitText is where a conflict is, and its three values.
func junitText(r *Report, c *Conflict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s%s\n%s\n", c.Path, within(c.File, c.Line), c.Said)
	for _, side := range identity.Sides() {
		fmt.Fprintf(&b, "%-*s %s\n", r.widest(), r.Sides[side], c.Values[side].Line)
	}
	if c.Rule != nil {
		b.WriteString("\nA rule that takes " + c.Rule.Prefer + "'s:\n" + c.Rule.YAML())
	}
	return b.String()
}
