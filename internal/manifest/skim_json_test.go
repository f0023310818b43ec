package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// checkJSON compares the reading of data with the parser's.
func checkJSON(t rapid.TB, data string) bool {
	got := rootOfJSON([]byte(data))
	if got == nil {
		return false
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(data), &doc); err != nil {
		t.Fatalf("it is not YAML: %v\n%s", err, data)
	}
	if diff := cmp.Diff(placed(doc.Content[0]), placed(got)); diff != "" {
		t.Fatalf("%s\n%s", diff, data)
	}
	if comments(&doc) {
		t.Fatalf("there are comments\n%s", data)
	}
	return true
}

// rootOfJSON returns the node that the scanner reads from data, if that is a plain list or map in JSON.
func rootOfJSON(data []byte) *yaml.Node {
	start := len(data) - len(bytes.TrimLeft(data, " \n"))
	if start == len(data) || data[start] != '{' && data[start] != '[' || bytes.IndexByte(data, '\t') >= 0 || !isClean(data) || !json.Valid(data) {
		return nil
	}
	return rootOf(append(data[:len(data):len(data)], '\n'))
}

func comments(n *yaml.Node) bool {
	found := n.HeadComment+n.LineComment+n.FootComment != ""
	for _, c := range n.Content {
		found = found || comments(c)
	}
	return found
}

// TestLawJSON: the tree of JSON is the parser's.
func TestLawJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(drawJSON(t, 3))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		switch rapid.IntRange(0, 3).Draw(t, "layout") {
		case 0:
			data, _ = json.MarshalIndent(json.RawMessage(data), "", strings.Repeat(" ", rapid.IntRange(0, 3).Draw(t, "indent")))
			text = string(data) + "\n"
		case 1:
			text = " \n " + strings.ReplaceAll(text, ",", " ,\n\n ")
		case 2:
			text = strings.ReplaceAll(text, ":", " :  ")
		}
		if !checkJSON(t, text) && !isForParser(text) {
			t.Fatalf("it was not read\n%s", text)
		}
	})
}

func drawJSON(t *rapid.T, depth int) any {
	if depth == 3 || depth > 0 && rapid.Bool().Draw(t, "collection") {
		if rapid.Bool().Draw(t, "list") {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return drawJSON(t, depth-1) }), 0, 3).Draw(t, "elements")
		}
		return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b c", "é", "#", "- x", "<<", "", "a\"b", "80"}), rapid.Custom(func(t *rapid.T) any { return drawJSON(t, depth-1) }), 0, 3).Draw(t, "fields")
	}
	return rapid.SampledFrom([]any{nil, true, false, 0, 1, -1, 1.5, -2e30, 1e-7, json.RawMessage("1E+2"), json.RawMessage("-0"), json.RawMessage("12345678901234567890"),
		"", "x", "true", "# x", "a\nb\t\"\\", "<é>", "\u2028", "😀", "---", json.RawMessage(`"\/\b\f\r\u0041\u00e9"`), json.RawMessage(`"\ud83d\ude00"`)}).Draw(t, "scalar")
}

// TestJSON has texts that are left to the parser.
func TestJSON(t *testing.T) {
	for text, read := range map[string]bool{
		`{}`:                       true,
		`[]`:                       true,
		"\n\n  [1]\n\n":            true,
		`[1, {"a": [true, null]}]`: true,
		"":                         false,
		"  ":                       false,
		"1":                        false,
		`"a"`:                      false,
		"{a: 1}":                   false,
		`{"a": 1,}`:                false,
		"{\"a\":\t1}":              false,
		"{\"a\"\n: 1}":             false,
		`{"a": "\ud83d"}`:          false,
		"{\"a\": 1}\n# c\n":        false,
		"{\"a\": 1}\r\n":           false,
		strings.Repeat("[", 1100) + strings.Repeat("]", 1100): false,
		fmt.Sprintf("{%q: 1}", strings.Repeat("a", 1030)):     false,
	} {
		if got := checkJSON(t, text); got != read {
			t.Errorf("%v: %s", got, text)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add("[1, {\"a\": [true, null, -1.5e3, \"\\u0041\\n\"]}, {},\n []]\n")
	f.Fuzz(func(t *testing.T, text string) { checkJSON(t, text) })
}

// isForParser reports whether there may be an escape that JSON and the YAML
// parser read differently.
func isForParser(text string) bool {
	return strings.Contains(text, `\/`) || strings.Contains(text, `\ud`) || strings.Contains(text, `\uD`)
}
