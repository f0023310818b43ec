package resourcelist

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestItemsStandAlone writes each item of a list with aliases across items without the other items.
func TestItemsStandAlone(t *testing.T) {
	list, err := Read([]byte(head + `items:
- a: &x # c
    b: &y c
- <<: *x
  d: [*y, &y e, *y] # f
- g: *x # h
`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"- a: &x # c\n    b: &y c\n",
		"- <<:\n    b: c # c\n  d: [c, &y e, *y] # f\n",
		"- g: # h\n    b: c # c\n",
	} {
		got := string(checkRewrite(t, list, list.Items[i:i+1]))
		if diff := cmp.Diff(head+"items:\n"+want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAliasLimits(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("- a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 20 {
		fmt.Fprintf(&bomb, "- a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
	}
	for name, test := range map[string]struct{ items, want string }{
		"bomb":         {bomb.String(), "aliases to other items grow to more than 100000 nodes"},
		"cycle":        {"- a: &a [*a]\n- *a\n", "item 2 is a list, not a mapping"},
		"cycle in one": {"- a: &a {b: *a}\n- c: *a\n", "item 2: an alias to another item is nested deeper than 1000"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read([]byte(head + "items:\n" + test.items))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestBombInOneItem: the reader accepts an alias bomb within one item.
func TestBombInOneItem(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("- a0: &a0 [x]\n")
	for i := range 100 {
		fmt.Fprintf(&bomb, "  a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	list, err := Read([]byte(head + "items:\n" + bomb.String()))
	if err != nil {
		t.Fatal(err)
	}
	item := list.Items[0].WithNode(list.Items[0].Node)
	checkRewrite(t, list, []*Item{list.Items[0], item})
}
