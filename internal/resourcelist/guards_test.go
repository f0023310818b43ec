package resourcelist

import (
	"bytes"
	"strings"
	"testing"
)

// guarded has an input for each guard.
func guarded() map[string]string {
	return map[string]string{
		"isFlow":                `{"kind": "ResourceList", "apiVersion": "config.kubernetes.io/v1", "items": [{"a": "b"}]}`,
		"isPlainUTF8: BOM":      "\uFEFF" + head + "items:\n- a: b\n",
		"isPlainUTF8: UTF-16":   "\xFF\xFE" + head + "items:\n- a: b\n",
		"isPlainUTF8: NUL":      head + "items:\n- a: b\n# \x00\n",
		"hasStrayCR":            head + "items:\n- a: |\n    x\r- a: b\n",
		"hasUnicodeBreak: NEL":  head + "items:\n- a: \"x\u0085y\"\n",
		"hasUnicodeBreak: LS":   head + "items:\n- a: \"x\u2028y\"\n",
		"hasUnicodeBreak: PS":   head + "items:\n- a: \"x\u2029y\"\n",
		"hasDocumentMarker":     "---\n---\n" + head + "items:\n- a: b\n",
		"hasDocumentMarker end": head + "items:\n- a: b\n...\n",
		"hasDocumentMarker %":   "%YAML 1.1\n---\n" + head + "items:\n- a: b\n",
		"itemsLine":             head + "'items':\n- a: b\n",
		"isItemsLine":           head + "items: &x\n- a: b\n",
		"needsFullParser: NUL":  head + "items:\n- a: b\nx: y # \x00\n",
		"needsFullParser: PS":   head + "items: # \u2029\n- a: b\n",
		"needsFullParser: %":    head + "items:\n- a: b\n%x\n",
		"needsFullParser twice": head + "x: |\n  a\nitems:\n- a: b\nitems:\n- a: b\n",
		"hasTabIndent":          head + "items:\n- a: \"b\n\tc\"\n",
		"isOuterComment":        head + "items:\n- a: b\n# c\n- a: b\n",
		"isOuterComment first":  head + "items:\n# c\n- a: b\n",
		"isOuterComment last":   head + "items:\n  - a: b\n # c\n",
		"isStray":               head + "items:\n  - a: \"b\n - c\"\n",
		"isStray: no dash":      head + "items:\n  - a: \"b\n  c\"\n",
		"isPlainShell":          head + "x: \"\nitems:\n- a: b\n\"\n",
		"isPlainShell twice":    head + "items:\n- a: b\n\"items\": []\n",
		"the shell's parse":     head + "items:\n- a: b\nx: [\n",
		"a chunk's parse":       head + "items:\n- &x {a: b}\n- a: *x\n",
		"not one mapping":       head + "items:\n- a: b\n- c\n",
		"no dash":               head + "items:\n",
	}
}

// guardedItems returns the items that follow head in the inputs for guards.
func guardedItems() []string {
	var items []string
	for _, input := range guarded() {
		items = append(items, string(bytes.TrimPrefix([]byte(input), []byte(head))))
	}
	return items
}

func TestGuards(t *testing.T) {
	for name, input := range guarded() {
		t.Run(name, func(t *testing.T) {
			if _, ok := readSplit([]byte(input)); ok {
				t.Errorf("split:\n%s", input)
			}
		})
	}
}

// TestNoGuard has texts that look like a reason for the full parser but are none.
func TestNoGuard(t *testing.T) {
	for name, items := range map[string]string{
		"a document start":        "---\n" + head + "items:\n- a: b\n",
		"tab in a literal":        "items:\n- a: |\n    b\n    \tc\n   \n",
		"comment in an item":      "items:\n- # a\n  a: b\n  # c\n  c: d\n  # e\n",
		"items in an item":        "items: # c\n- kind: List\n  items:\n  - a: b\n",
		"markers in a literal":    "items:\n- a: |\n    ---\n    ...\n    %x\n    # y\n",
		"own alias":               "items:\n- a: &x b\n  c: *x\n",
		"no last line break":      "items:\n- a: b\n- a: |\n    x",
		"sequences and mappings":  "items:\n- {a: b}\n- a:\n  - b\n  -c: d\n",
		"wide":                    "items:\n\n  - a: b\n\n    c: d\n\nfunctionConfig:\n  - x\n",
		"a dash with nothing":     "items:\n-\n  a: b\n",
		"loose comments":          "items:\n- a: b\n  # c\n\n  # d\n- a: b\n",
		"comments in a row":       "items:\n- a: b\n  # c\n  # d\n",
		"empty line in comments":  "items:\n- # c\n\n  # d\n  a: b\n",
		"a key that begins alike": "items:\n- a: b\nitem: c\n",
	} {
		t.Run(name, func(t *testing.T) {
			data := []byte(head + items)
			if strings.HasPrefix(items, "---") {
				data = []byte(items)
			}
			if _, ok := readSplit(data); !ok {
				t.Error("needs the full parser")
			}
			checkSplit(t, data)
		})
	}
}
