package identity

import (
	"strings"
	"testing"
)

// FuzzParseIdentifier reads upstream identifiers. A valid one has a kind and a name, and its values are in the text.
func FuzzParseIdentifier(f *testing.F) {
	for _, seed := range []string{
		"apps|Deployment|prod|web", "|ConfigMap|default|settings", "rbac.authorization.k8s.io|ClusterRole|~C|reader",
		"|||", "a|b|c", "a|b|c|d|e", "", "|A||b", " | | | ", "a|b|c|d\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, ok := parseIdentifier(text)
		if !ok {
			if id != (ID{}) {
				t.Errorf("%q is refused, and is %+v", text, id)
			}
			return
		}
		if id.Kind == "" || id.Name == "" || strings.Join([]string{id.Group, id.Kind, id.Namespace, id.Name}, "|") != text {
			t.Errorf("%q is %+v", text, id)
		}
	})
}

// FuzzMatchByIdentifier matches two sides and one local entry with a comment
// and an identifier: no input panics, and every entry is in one triple.
func FuzzMatchByIdentifier(f *testing.F) {
	f.Add("# kpt-merge: prod/web", "apps|Deployment|prod|web", "prod", "apps/v1")
	f.Add("", "apps|Deployment|default|web", "other", "apps/v1")
	f.Add("# kpt-merge: /web", "extensions|Deployment|~C|web", "", "extensions/v1beta1")
	f.Add("# kpt-merge:", "||||", "\x00", "//")
	f.Fuzz(func(t *testing.T, comment, identifier, namespace, version string) {
		entry := Entry{Meta: Meta{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "prod", Name: "web"}}
		local := entry
		local.APIVersion, local.Namespace, local.Comment, local.Identifier = version, namespace, comment, identifier
		matches, err := Match([3][]Entry{{entry}, {entry}, {local}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, side := range Sides() {
			count := 0
			for _, triple := range matches.Triples {
				if triple.Has(side) {
					count++
				}
			}
			if count != 1 {
				t.Errorf("the entry of side %v is in %d triples", side, count)
			}
		}
	})
}
