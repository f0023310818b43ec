package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/tests/caselist"
)

// TestCases checks the laws on all cases of testdata that kustomize can build.
func TestCases(t *testing.T) {
	tally := map[string]int{}
	cases, err := caselist.Read("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Files["local.yaml"] == nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			l := laws{tried: 100}
			for side, name := range [3]string{"origin", "upstream", "local"} {
				l.packages[side] = buildable(t, c.Files[name+".yaml"])
			}
			l.check(t, tally)
		})
	}
	t.Log(tally)
	if tally["over origin"] < 300 || tally["over upstream"] < 300 {
		t.Error("too few cases")
	}
}

// TestDrawn checks the laws on versions that are drawn. OVERLAY_DRAWS is how many, and
// OVERLAY_SEED which.
func TestDrawn(t *testing.T) {
	text, err := os.ReadFile("testdata/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tally := map[string]int{}
	for i := range number("OVERLAY_DRAWS", 100) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			packages, err := draw(string(text), rand.New(rand.NewPCG(uint64(i), uint64(number("OVERLAY_SEED", 0)))))
			if err != nil {
				t.Fatal(err)
			}
			laws{packages, 2}.check(t, tally)
			if t.Failed() {
				for side, p := range packages {
					t.Logf("%v\n%s", identity.Side(side), p.Files[0].Data)
				}
			}
		})
	}
	t.Log(tally)
}

func number(variable string, usual int) int {
	if asked, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return asked
	}
	return usual
}

// check checks the laws, and counts how often each said something.
func (l laws) check(t *testing.T, tally map[string]int) {
	t.Helper()
	for name, law := range map[string]func() (made, error){"over origin": l.overOrigin, "over upstream": l.overUpstream} {
		m, err := law()
		switch {
		case errors.Is(err, errIdle):
			name = "idle"
		case err != nil:
			t.Errorf("%s: %v\n%s", name, err, m.tree.text("overlay"))
		}
		tally[name]++
	}
}

// buildable is a version with the resources that kustomize could build.
func buildable(t *testing.T, text []byte) pkgmerge.Package {
	t.Helper()
	var kept []string
	for _, document := range regexp.MustCompile(`(?m)^---.*\n`).Split(string(text), -1) {
		var is struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if yaml.Unmarshal([]byte(document), &is) == nil && is.Kind != "Kptfile" && is.Metadata.Name != "" {
			kept = append(kept, document)
		}
	}
	p, err := pkgmerge.NewPackage([]pkgmerge.File{{Name: "resources.yaml", Mode: 0o644, Data: []byte(strings.Join(kept, "---\n"))}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
