package manifest

import (
	"strings"
	"testing"
)

// item is a plain item with most of the plain forms.
const item = `- apiVersion: apps/v1
  kind: Deployment
  # above
  metadata: # kpt-merge: shop/web
    name: web
    namespace: "shop"
    labels: {app: web, tier: 'x'}
    annotations:
      config.kubernetes.io/path: 'a/web.yaml'
      note: it's plain # really

  spec:
    args: ["--a=b", c, {d: [e]}]
    none:
    script: |
      if true; then # no comment
      	tab
        fi

    folded: >-
      a

        b
    containers:
    - name: x
      image: registry.example.com:5000/x@sha256:0123
      env:
        - name: A
          value: "a \"quoted\" # word\n"
      - b
    - plain scalar, with: colons:inside
  empty: {}
`

func TestRead(t *testing.T) {
	text := strings.Replace(item, "      - b\n    - plain scalar, with: colons:inside\n", "    list:\n    - plain scalar, with colons:inside\n", 1)
	got := SkimItem([]byte(text), 0)
	if got == nil {
		t.Fatal("it is not plain")
	}
	check(t, text, 0)
	if !got.Null {
		t.Error("the null was not found")
	}
}

// TestPlain has texts that are plain though they may not look it.
func TestPlain(t *testing.T) {
	for name, fields := range plain() {
		t.Run(name, func(t *testing.T) {
			text := "- kind: A\n  metadata:\n    name: b\n" + fields
			if SkimItem([]byte(text), 0) == nil {
				t.Error("it is not plain")
			}
			check(t, text, 0)
			checkTree(t, text)
		})
	}
}

// TestOddMetadata has comments and empty lines around the metadata, and
// annotations that are null.
func TestOddMetadata(t *testing.T) {
	for _, text := range []string{
		"- kind: A\n  metadata:\n    # b\n\n    name: c\n",
		"- kind: A\n  metadata:\n    annotations:\n    name: c\n",
		"- kind: A\n  metadata:\n    annotations:\n",
		"- kind: A\n  metadata:\n    annotations:\n\n    # c\n\n      # d\n      e: f\n",
		"- kind: A\n  spec:\n    b: c\n",
		"- apiVersion: a\n",
		"- a: b\n",
		"- # c\n  # d\n  kind: A\n  metadata:\n    name: b\n",
		"-\n   kind: A\n",
	} {
		if SkimItem([]byte(text), 0) == nil {
			t.Errorf("it is not plain:\n%s", text)
		}
		check(t, text, 0)
		checkTree(t, text)
	}
}

// TestLongAnnotations has annotations of several lines, or with escapes.
func TestLongAnnotations(t *testing.T) {
	const text = "- kind: A\n  metadata:\n    annotations:\n      a: |\n        b\n\n        c\n      \"d\": \"e\\n\n        f\"\n      g: h\n       i\n      j: 'k''l'\n      m: n\n    name: b\n"
	i := SkimItem([]byte(text), 0)
	if i == nil {
		t.Fatal("it is not plain")
	}
	check(t, text, 0)
	for name, want := range map[string]string{"a": "b\n\nc\n", "d": "e\n f", "g": "h i", "j": "k'l", "m": "n"} {
		if got := i.Annotation(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for _, lines := range []string{"      a: |\n        b\n\n        c\n", "      g: h\n       i\n", "      m: n\n"} {
		name := strings.TrimSpace(strings.SplitN(lines, ":", 2)[0])
		if got, sure := i.WithoutAnnotation(name); !sure || string(got) != strings.Replace(text, lines, "", 1) {
			t.Errorf("without %s, %v:\n%s", name, sure, got)
		}
	}
}

func plain() map[string]string {
	return map[string]string{
		"a compact sequence":                "  a:\n  - b\n  - c: d\n    e: f\n  g: h\n",
		"an indented sequence":              "  a:\n    - b\n    - c: d\n      e: f\n  g: h\n",
		"nothing":                           "  a:\n  b:\n  - c:\n    d: e\n",
		"nothing at the end":                "  a:\n",
		"an empty literal":                  "  a: |\n  b: c\n",
		"a literal with what looks like it": "  a: |\n    b: &c\n    - \"d\n    ---\n    # e\n  f: g\n",
		"a literal that keeps its end":      "  a: |+\n    b\n\n\n  c: d\n",
		"a literal in a sequence":           "  a:\n  - |\n    b\n  - >-\n   c\n",
		"a literal that begins empty":       "  a: |\n\n    \n    b\n",
		"comments":                          "  # a\n  b: c # d\n     # e\n  f:\n    # g\n    h: i\n  j: k\n",
		"numbers, booleans and dates":       "  a: 0x1F\n  b: .inf\n  c: on\n  d: 2020-01-01\n  e: -1\n  f: ~x\n",
		"quotes":                            "  a: 'it''s'\n  b: \"c\\\\d\"\n  e: '#'\n  f: \": \"\n",
		"beyond ASCII":                      "  a: naïve 😀\n",
		"a comment at the end":              "  a:\n    b: c\n    # d\n\n  # e\n",
		"a literal with a number":           "  a: |2-\n\n      b\n     c\n  d:\n  - >+1\n     e\n   f\n\n  g: |-3\n  h: |2\n    i\n",
		"a dash alone":                      "  a:\n  -\n    b: c\n  - # d\n\n   # e\n     f: g\n  -\n  -  \n   h i\n  -\n    - j\n  k:\n  -\n",
		"a setter":                          "  a: b # kpt-set: ${c}\n",
		"flow":                              "  a: [b, 'c', \"d\", {e: f, g: [h, {}]}, []]\n",
		"trailing spaces":                   "  a: b  \n  c:  \n    d: e\n",
		"a field below a deeper sequence":   "  a:\n      - b\n  c: d\n",
		"a quoted key":                      "  \"a\": b\n  'c d': e\n  f:\n  - \"-g\": h\n",
		"managed fields":                    "  a:\n    .: {}\n    f:b: {}\n    k:{\"c\":80,\"d\":\"e\"}:\n      f:g:h:\n    v:\"i/j\": {}\n  b:\n  - k:{}: l#m\n    n::: o\n",
		"a plain scalar of lines":           "  a: b\n    c\n\n\n   - d\n      e:f\n",
		"lines below the key":               "  a:\n    b c\n     d#e\n\n    f # g\n  h:\n\n    # i\n    'j'\n  k: l\n",
		"a list below the key":              "  a:\n    [b,\n     {c: d}]\n  e: f\n",
		"an element of lines":               "  a:\n  - b\n    c\n  - \"d\n\n    e\\\n    \\ f\"\n",
		"lines in quotes":                   "  a: 'b\n    c''  \n\n    # d: '\n  e: \"f\\\\\n    g: \\\n\n    h  \" # i\n",
		"quotes that begin and end empty":   "  a: '  \n    b\n   '\n  c: \"\n\n    \"\n",
		"flow in lines":                     "  a: [b, -n,\n    c d, 'e\n     f',\n\n    g:h, \"i\"\n    ]\n",
		"flow in lines with quoted keys":    "  a: {'b c': d,\n    \"e\": --f,\n    g: h@i}\n",
		"escapes":                           "  a: \"\\x41\\U0001F600\\u00e9\\u003C\\r\\ b\"\n",
		"an odd indentation":                "  a:\n     b:\n       c: d\n     e: f\n",
	}
}

// TestNotPlain has texts that are left to the parser: rules/reading: guards of an item, and texts that are not YAML.
func TestNotPlain(t *testing.T) {
	for name, text := range notPlain() {
		t.Run(name, func(t *testing.T) {
			if SkimItem([]byte(text), 0) != nil {
				t.Error("it is plain")
			}
		})
	}
}

func notPlain() map[string]string {
	const head = "- kind: A\n  metadata:\n    name: b\n"
	return map[string]string{
		"an anchor":                      head + "  a: &b c\n",
		"an alias":                       head + "  a: *b\n",
		"a tag":                          head + "  a: !!str b\n",
		"a complex key":                  head + "  ? a\n  : b\n",
		"a merge key":                    head + "  <<: {a: b}\n",
		"a key with a space":             head + "  a b: c\n",
		"a key with a space in signs":    head + "  k:{\"a b\"}: c\n",
		"a key that ends in a tab":       head + "  a:b:\tc\n",
		"a key with signs in flow":       head + "  a: {f:b: c}\n",
		"a key with a comment in it":     head + "  a #b: c\n",
		"a key beyond ASCII":             head + "  f:é: c\n",
		"a long key":                     head + "  " + strings.Repeat("a", 200) + ": c\n",
		"a line with a key":              head + "  a: b\n    c: d\n",
		"lines behind a comment":         head + "  a: b # c\n    d\n",
		"lines around a comment":         head + "  a: b\n    # c\n    d\n",
		"quotes with less indentation":   head + "  a: \"b\n c\"\n",
		"a quote with a key below":       head + "  a: 'b\n    c': d\n",
		"an open quote":                  head + "  a: \"b\n    c\n",
		"an escaped space at the end":    head + "  a: \"b\\ \n    c\"\n",
		"half a character":               head + "  a: \"\\ud83d\"\n",
		"an uncommon escape":             head + "  a: \"\\e\"\n",
		"a comment in flow":              head + "  a: [b, # c\n    d]\n",
		"flow with less indentation":     head + "  a: [b,\n  c]\n",
		"flow behind a word":             head + "  a: [b: c]\n",
		"a value below the name":         "- kind: A\n  metadata:\n    name:\n      b\n",
		"a name of lines":                "- kind: A\n  metadata:\n    name: b\n      c\n",
		"metadata of lines":              "- kind: A\n  metadata:\n    b\n",
		"an escaped name":                head + "  \"k\\x69nd\": b\n",
		"the kind twice, in quotes":      head + "  \"kind\": B\n",
		"an annotation below its name":   "- kind: A\n  metadata:\n    annotations:\n      a:\n        b\n",
		"two digits":                     head + "  a: |12\n      b\n",
		"two indicators":                 head + "  a: |--\n      b\n",
		"a literal with less than said":  head + "  a: |4\n    b\n",
		"comments at metadata":           "- kind: A\n  metadata: # a\n    # b\n    name: c\n",
		"annotations below":              "- kind: A\n  metadata:\n    annotations:\n      {}\n",
		"a character too many":           head + "  a: \"\\UFFFFFFFF\"\n",
		"a tab":                          head + "  a:\tb\n",
		"a tab before a comment":         head + "  a: b\t# c\n",
		"a control character":            head + "  a: \x01\n",
		"invalid UTF-8":                  head + "  a: \xff\n",
		"DEL":                            head + "  a: \x7f\n",
		"C1":                             head + "  a: \u0081\n",
		"a comment after a header":       head + "  a: | # b\n    c\n",
		"a literal with less inside":     head + "  a: |\n      b\n     c\n",
		"a literal that begins deeper":   head + "  a: |\n       \n    b\n",
		"a literal that begins in a tab": head + "  a: |\n    \tb\n",
		"a mapping in a line":            head + "  a: b: c\n",
		"a sequence in a line":           head + "  a: - b\n",
		"a sequence in a sequence":       head + "  a:\n  - - b\n",
		"a dash and spaces":              head + "  a:\n  -   b: c\n",
		"a dash among keys":              head + "  a: b\n  - c\n",
		"a key among dashes":             head + "  a:\n    - b\n    c: d\n",
		"less indentation":               head + "  a:\n     b: c\n    d: e\n",
		"more indentation":               head + "  a: b\n   c: d\n",
		"more after a quote":             head + "  a: 'b' c\n",
		"more after flow":                head + "  a: [b] c\n",
		"a comment without a space":      head + "  a: 'b'#c\n",
		"a reserved indicator":           head + "  a: @b\n",
		"a comma too many":               head + "  a: [b,]\n",
		"deep flow":                      head + "  a: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n",
		"deep":                           head + deep(1100),
		"no line break at the end":       head + "  a: b",
		"a second item":                  head + "- a: b\n",
		"a scalar":                       "- a\n",
		"metadata in flow":               "- kind: A\n  metadata: {name: b}\n",
		"metadata twice":                 head + "  metadata:\n    name: b\n",
		"the kind twice":                 "- kind: A\n  kind: B\n  metadata:\n    name: b\n",
		"the kind is null":               "- kind:\n  metadata:\n    name: b\n",
		"the name is null":               "- kind: A\n  metadata:\n    name: ~\n",
		"the name is a literal":          "- kind: A\n  metadata:\n    name: |\n      b\n",
		"the name has an escape":         "- kind: A\n  metadata:\n    name: \"a\\nb\"\n",
		"the name is a list":             "- kind: A\n  metadata:\n    name: [b]\n",
		"annotations in flow":            "- kind: A\n  metadata:\n    annotations: {a: b}\n",
		"an annotation twice":            "- kind: A\n  metadata:\n    annotations:\n      a: b\n      a: c\n",
		"annotations twice":              "- kind: A\n  metadata:\n    annotations:\n      a: b\n    annotations:\n      c: d\n",
		"very many annotations":          "- kind: A\n  metadata:\n    annotations:\n" + many(1000),
	}
}

func deep(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i+2) + "a:\n")
	}
	return b.String()
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("      a" + strings.Repeat("b", i%90) + strings.Repeat("c", i/90) + ": d\n")
	}
	return b.String()
}
