package main

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// facts has the statements of a document's lines: each scalar with its path, and
// each collection. A statement that occurs twice is no fact.
type facts struct {
	lines []string
	line  map[string]int // by fact, from 1; 0 where it is said more than once
	order []string
}

func readFacts(text string) facts {
	f := facts{lines: strings.Split(text, "\n"), line: map[string]int{}}
	var doc yaml.Node
	if yaml.Unmarshal([]byte(text), &doc) != nil || len(doc.Content) == 0 {
		return f
	}
	said := map[int]string{}
	read(doc.Content[0], nil, "", said)
	seen := map[string]int{}
	for n := range f.lines {
		if fact := said[n+1]; fact != "" {
			seen[fact]++
			f.line[fact] = n + 1
		}
	}
	for n := range f.lines {
		fact := said[n+1]
		if seen[fact] == 1 {
			f.order = append(f.order, fact)
		} else {
			delete(f.line, fact)
		}
	}
	return f
}

// text is the line on which a fact stands, whether or not it begins an element.
func (f facts) text(fact string) string {
	if f.line[fact] == 0 {
		return ""
	}
	line := strings.TrimRight(f.lines[f.line[fact]-1], " \r")
	content := strings.TrimLeft(line, "- ")
	return strings.Repeat(" ", len(line)-len(content)) + content
}

// read adds to each line its part of a value: a scalar adds its value, a
// collection its kind.
func read(n, key *yaml.Node, path string, said map[int]string) {
	line := n.Line
	if key != nil {
		line = key.Line
	}
	if key != nil || n.Kind == yaml.ScalarNode {
		said[line] += "\x00" + path + "\x00" + string(rune('0'+n.Kind)) + n.ShortTag() + n.Value + "\x00" + lineComment(n) + lineComment(key)
	}
	for i, c := range n.Content {
		switch {
		case n.Kind == yaml.MappingNode && i%2 == 1:
			read(c, n.Content[i-1], path+fieldStep(n.Content[i-1].Value), said)
		case n.Kind == yaml.SequenceNode:
			read(c, nil, path+stepOf(c), said)
		}
	}
}

func lineComment(n *yaml.Node) string {
	if n == nil || strings.Contains(n.LineComment, "kpt-merge:") {
		return ""
	}
	return n.LineComment
}

// stepOf is an element by its name, if it has one.
func stepOf(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode {
		if name := field(n, "name").value; name != nil {
			return "[" + name.Value + "]"
		}
	}
	return "[]"
}
