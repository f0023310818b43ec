package report_test

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// junitAttributes are the elements of the schema of JUnit's reports that Jenkins
// publishes, as far as the format writes them, with their attributes: first the
// required ones, up to the empty one.
func junitAttributes() map[string][]string {
	return map[string][]string{
		"testsuites": {"", "name", "tests", "failures", "errors"},
		"testsuite":  {"name", "tests", "", "failures", "errors", "skipped"},
		"testcase":   {"name", "", "classname"},
		"failure":    {"", "type", "message"},
		"system-out": {""},
	}
}

// junitParents are the parents of elements.
func junitParents() map[string]string {
	return map[string]string{"testsuites": "", "testsuite": "testsuites", "testcase": "testsuite", "system-out": "testsuite", "failure": "testcase"}
}

// checkJUnit holds a report against that schema.
func checkJUnit(t fatal, text string) {
	d := xml.NewDecoder(strings.NewReader(text))
	open := []string{""}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("no XML: %v\n%s", err, text)
		}
		switch it := token.(type) {
		case xml.StartElement:
			checkElement(t, it, open[len(open)-1])
			open = append(open, it.Name.Local)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.Comment, xml.Directive:
			t.Fatalf("XML has %T", it)
		}
	}
}

func checkElement(t fatal, it xml.StartElement, parent string) {
	name := it.Name.Local
	allowed, known := junitAttributes()[name]
	if !known || junitParents()[name] != parent {
		t.Fatalf("%s in %q", name, parent)
	}
	required := allowed[:slices.Index(allowed, "")]
	for _, a := range it.Attr {
		if !slices.Contains(allowed, a.Name.Local) {
			t.Fatalf("%s has attribute %s", name, a.Name.Local)
		}
		required = slices.DeleteFunc(slices.Clone(required), func(r string) bool { return r == a.Name.Local })
	}
	if len(required) > 0 {
		t.Fatalf("%s lacks %v", name, required)
	}
}
