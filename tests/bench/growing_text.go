package bench

import (
	"bytes"
	"fmt"
	"strings"
)

// textOf returns a body of a ConfigMap with one text of n lines, as a literal.
func textOf(line func(side string, i, n int) string) func(n int) []byte {
	return onlyOne(configMap, func(b *bytes.Buffer, side string, n int) {
		b.WriteString("  data:\n    text: |\n")
		for i := range n {
			b.WriteString("      " + line(side, i, n) + "\n")
		}
		fmt.Fprintf(b, "    other: %s\n", own(side, "upstream", "1", "2"))
	})
}

// scalarOf returns a body of a ConfigMap with a text that has no line of its own.
func scalarOf(before, after string, part func(side string, i int) string) func(n int) []byte {
	return onlyOne(configMap, func(b *bytes.Buffer, side string, n int) {
		b.WriteString("  data:\n    text: " + before)
		for i := range n {
			b.WriteString(part(side, i))
		}
		fmt.Fprintf(b, "%s\n    other: %s\n", after, own(side, "upstream", "1", "2"))
	})
}

// turns is changed by upstream and local in turn, in every second place.
func turns(side string, i int) string {
	if side == "upstream" && i%4 == 0 || side == "local" && i%4 == 2 {
		return side
	}
	return "same"
}

// growingTexts are resources with long texts.
func growingTexts() []Growing {
	const many = 50_000
	return []Growing{
		{"a text with every second line changed", many, textOf(func(side string, i, _ int) string { return fmt.Sprintf("line %d is %s", i, turns(side, i)) })},
		{"a text with all lines changed", many, textOf(func(side string, i, _ int) string { return fmt.Sprintf("line %d is %s", i, side) })},
		{"a text of equal lines", many, textOf(func(side string, i, _ int) string { return "line is " + turns(side, i) })},
		{"a text of few lines, shuffled", many, textOf(func(side string, i, n int) string {
			switch side {
			case "upstream":
				i = shuffled(i, n)
			case "local":
				i = n - i
			}
			return fmt.Sprintf("line %d", i*i%97)
		})},
		{"a text that local turned around", many, textOf(func(side string, i, n int) string {
			if side == "local" {
				i = n - i
			}
			return fmt.Sprintf("line %d is %s", i, own(side, "upstream", "a", "b"))
		})},
		{"a text of empty lines", many, textOf(func(side string, i, _ int) string {
			return strings.Repeat(" ", 0) + own(turns(side, i), "same", turns(side, i), "")
		})},
		{"a text of JSON", many, textOf(func(side string, i, n int) string {
			switch i {
			case 0:
				return "{"
			case n - 1:
				return `"last": 0}`
			}
			return fmt.Sprintf(`"key%d": "%s",`, i, turns(side, i))
		})},
		{"a text of YAML", many, textOf(func(side string, i, _ int) string { return fmt.Sprintf("key%d: %s", i, turns(side, i)) })},
		{"a line of many words", many, scalarOf("", "", func(side string, i int) string { return turns(side, i) + " " })},
		{"a text in quotes over lines", many, scalarOf(`"`, `"`, func(side string, i int) string { return fmt.Sprintf("line %d %s\n      ", i, turns(side, i)) })},
		{"a text in quotes with breaks", many, scalarOf(`"`, `"`, func(side string, i int) string { return fmt.Sprintf(`line %d %s\n`, i, turns(side, i)) })},
		{"a folded text", many, scalarOf(">\n", "", func(side string, i int) string { return fmt.Sprintf("      line %d %s\n\n", i, turns(side, i)) })},
		{"a plain text over lines", many, scalarOf("line\n", "", func(side string, i int) string { return fmt.Sprintf("      line %d %s\n", i, turns(side, i)) })},
		{"empty lines", many, scalarOf("a\n", "    b: c", func(string, int) string { return "\n" })},
		{"comments", many, scalarOf("a\n", "    b: c", func(side string, i int) string { return fmt.Sprintf("    # %d %s\n", i, turns(side, i)) })},
		{"comments in another order", many, scalarOf("a\n", "    b: c", func(side string, i int) string {
			return fmt.Sprintf("    # %d\n", own(side, "local", "1", "3")[0]*byte(i%64))
		})},
		{"many texts", 5_000, onlyOne(configMap, func(b *bytes.Buffer, side string, n int) {
			b.WriteString("  data:\n")
			for i := range n {
				fmt.Fprintf(b, "    text-%d: |\n      first\n      %s\n      middle\n      %s\n", i, own(side, "upstream", "a", "b"), own(side, "local", "a", "b"))
			}
		})},
		{"comments between items", 5_000, func(n int) []byte {
			return perSide("", func(b *bytes.Buffer, side string) {
				for i := range n {
					fmt.Fprintf(b, "# Comment %d\n", i)
					b.WriteString(value(header(side, configMap, fmt.Sprintf("map-%d", i), "maps.yaml"), side, i))
				}
			})
		}},
		{"items as JSON", 5_000, func(n int) []byte {
			list, _ := toJSON(Few().List(n)) // it is YAML
			return list
		}},
	}
}
