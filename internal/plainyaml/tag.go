package plainyaml

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// tagOf returns the tag that the YAML parser gives a plain scalar. Most are
// certain to be text by what they begin with; the others the parser is asked for.
func tagOf(word string) string {
	if word == "<<" {
		return "!!merge"
	}
	if isText(word) {
		return "!!str"
	}
	return (&yaml.Node{Kind: yaml.ScalarNode, Value: word}).ShortTag()
}

// isText reports whether a plain scalar is certain to be no number, time,
// boolean or null.
func isText(word string) bool {
	switch c := word[0]; {
	case strings.IndexByte("tTfFnN~yYoO", c) >= 0:
		return len(word) > len("false") || word[1:] != "" && word[1] == ':'
	case c == '-' || c == '+':
		return len(word) > 1 && strings.IndexByte("0123456789._", word[1]) < 0
	case '0' <= c && c <= '9':
		return strings.Trim(word, "0123456789abcdefABCDEF+-.:_ oOxXtTzZ") != ""
	default:
		return c != '.' || len(word) == 1
	}
}
