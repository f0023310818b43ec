package krmfunction

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/kptids"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// TestLawIDs: the merge chooses the ids of a merged item from its own reading of the texts. They equal the ids chosen
// from the YAML parser's reading of the item and of the versions (rules/function: ids of kpt).
func TestLawIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sides := drawWritten(t)
		if rapid.Bool().Draw(t, "plain") {
			for side, text := range sides {
				sides[side] = withoutGaps(text)
			}
		}
		for side := range sides {
			sides[side] = strings.Replace(sides[side], "  name: x\n", fmt.Sprintf("  name: x\n  annotations:\n    config.k8s.io/id: '%d'\n", side), 1)
		}
		in := strings.ReplaceAll(filesAsList(sides[0], sides[1], sides[2]), "    annotations:\n      config.kubernetes.io/merge-source: origin\n    annotations:\n", "    annotations:\n      config.kubernetes.io/merge-source: origin\n")
		in = strings.ReplaceAll(in, "    annotations:\n      config.kubernetes.io/merge-source: upstream\n    annotations:\n", "    annotations:\n      config.kubernetes.io/merge-source: upstream\n")
		out, err := Run([]byte(in), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, in)
		}
		if bytes.Contains(out, []byte(" 0 changed")) {
			return // it keeps what it has
		}
		was, is := itemsOf(t, []byte(in)), itemsOf(t, out)
		sent := kptids.Sent{Local: was[0], Upstream: was[3]}
		got := is[0].Annotation(bookkeeping.LegacyID)
		if want := chosenByParser(t, sent, is[0]); got != want {
			t.Fatalf("the id is %q, by the parser %q\n%s--- result\n%s", got, want, in, out)
		}
	})
}

// withoutGaps is a file without empty lines, and with the comments below an entry above the one that follows.
func withoutGaps(text string) string {
	var out, above []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		content := strings.TrimLeft(line, " ")
		switch {
		case content == "":
		case content[0] == '#':
			above = append(above, content)
		default:
			for _, comment := range above {
				out = append(out, line[:len(line)-len(content)]+comment)
			}
			out, above = append(out, line), nil
		}
	}
	return strings.Join(out, "\n") + "\n"
}

func itemsOf(t *rapid.T, list []byte) []*resourcelist.Item {
	l, err := resourcelist.Read(list)
	if err != nil {
		t.Fatal(err)
	}
	return l.Items
}

// chosenByParser is the id that the parser's reading chooses for a merged item.
func chosenByParser(t *rapid.T, sent kptids.Sent, merged *resourcelist.Item) string {
	full, err := merged.Parsed()
	if err != nil {
		t.Fatal(err)
	}
	own, err := full.Rewritten(yamlnode.Annotate(full.Node, bookkeeping.LegacyID, sent.Local.Annotation(bookkeeping.LegacyID)))
	if err != nil {
		t.Fatal(err)
	}
	again, err := sent.Rewritten(own.Apart())
	if err != nil {
		t.Fatal(err)
	}
	return again.Annotation(bookkeeping.LegacyID)
}
