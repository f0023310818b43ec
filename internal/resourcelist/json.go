package resourcelist

import (
	"bytes"
	"encoding/json"

	"github.com/resource-merge/resource-merge/internal/manifest"
)

// readJSON reads data if it is JSON: that says where each item is, and what JSON
// is, is the same to YAML wherever it stands. It reports whether that was possible;
// if not, the full parser says what is wrong.
func readJSON(data []byte) (*List, bool) {
	if start := skipSpace(data, 0); start == len(data) || data[start] != '{' || !json.Valid(data) {
		return nil, false
	}
	list, found := itemsOf(data)
	if !found {
		return nil, false
	}
	var items []manifest.Span
	members(data, list[0], func(at int) int {
		end := valueEnd(data, at)
		items = append(items, manifest.Span{at, end})
		return end
	})
	return readBrackets(data, list, items, true)
}

// itemsOf finds the one list that is a field of an object and called items.
func itemsOf(data []byte) (list manifest.Span, found bool) {
	count := 0
	each(data, skipSpace(data, 0), func(name string, _, value manifest.Span) {
		if name == "items" {
			list, count = value, count+1
		}
	})
	return list, count == 1 && data[list[0]] == '['
}

// members calls visit with where each member of an object or a list of JSON
// begins, which itself begins at a position. visit returns where the member ends.
func members(data []byte, at int, visit func(int) int) {
	for at = skipSpace(data, at+1); data[at] != '}' && data[at] != ']'; at = skipSpace(data, at) {
		if at = skipSpace(data, visit(at)); data[at] == ',' {
			at++
		}
	}
}

// skipSpace returns the first position from at on that has no white space.
func skipSpace(data []byte, at int) int {
	for at < len(data) && bytes.IndexByte([]byte(" \t\r\n"), data[at]) >= 0 {
		at++
	}
	return at
}

// valueEnd returns where a value of JSON ends that begins at a position.
func valueEnd(data []byte, at int) int {
	depth := 0
	for ; at < len(data); at++ {
		switch data[at] {
		case '"':
			if at = stringEnd(data, at); depth == 0 {
				return at + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
			if depth < 0 {
				return at
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return at
			}
		}
	}
	return at
}

// stringEnd returns where the last quote of a string is that begins at a position.
func stringEnd(data []byte, at int) int {
	for at++; at < len(data) && data[at] != '"'; at++ {
		if data[at] == '\\' {
			at++
		}
	}
	return at
}
