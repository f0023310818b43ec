package blame

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/tests/seed"
)

// manifestDrawing draws manifests.
type manifestDrawing struct{ *rand.Rand }

func (d manifestDrawing) word() string { return string(rune('a' + d.IntN(6))) }

// env returns the lines of a list with keys, indented like its field or more.
func (d manifestDrawing) env(indent string) (lines []string) {
	lines = append(lines, indent+"env:")
	if d.IntN(2) == 0 {
		indent += "  "
	}
	for i := range 1 + d.IntN(4) {
		lines = append(lines, fmt.Sprintf("%s- name: E%d", indent, i))
		switch d.IntN(4) {
		case 0:
			lines = append(lines, indent+"  valueFrom:", indent+"    fieldRef:", indent+"      fieldPath: "+d.word())
		case 1:
			lines = append(lines, indent+"  value: |", indent+"    - name: E9", indent+"    value: "+d.word(), indent+"    x:", indent+"      y: z")
		default:
			lines = append(lines, indent+"  value: "+d.word())
		}
	}
	return lines
}

// manifest returns the lines of a Deployment, a ConfigMap, or a custom resource.
func (d manifestDrawing) manifest(name string) (lines []string) {
	switch d.IntN(3) {
	case 0:
		lines = []string{"apiVersion: v1", "kind: ConfigMap", "metadata:", "  name: " + name, "  labels:", "    a: " + d.word(), "    b: " + d.word(), "data:", "  a: " + d.word(), "  text: |", "    a: b", "    - name: E1", "    b: c", "  z: " + d.word(), "  y: " + d.word()}
	case 1:
		lines = []string{"apiVersion: example.com/v1", "kind: Thing", "metadata:", "  name: " + name, "spec:", "  items:", "  - name: a", "    type: x", "  - name: b", "    type: " + d.word(), "  - name: c", "    mountPath: " + d.word(), "  more: " + d.word()}
		if d.IntN(2) == 0 {
			lines = slices.Delete(lines, 6, 8)
		}
	default:
		lines = []string{"apiVersion: apps/v1", "kind: Deployment", "metadata:", "  name: " + name, "spec:", "  replicas: 1", "  paused: true", "  template:", "    spec:", "      containers:", "      - name: one", "        image: a:1"}
		lines = append(lines, d.env("        ")...)
		lines = append(lines, "        args:", "        - --a=b", "        - "+d.word(), "        ports:", "        - containerPort: 80", "          name: x", "        - containerPort: 81", "          name: y", "          protocol: UDP", "      - name: two", "        image: b:1", "        # a comment", "        workingDir: /x")
		lines = append(lines, d.env("        ")...)
	}
	return lines
}

// edit removes or adds lines. Some of the added ones are copies of others with another name.
func (d manifestDrawing) edit(lines []string) []string {
	at := d.IntN(len(lines))
	n := min(1+d.IntN(4), len(lines)-at)
	if d.IntN(3) > 0 { // a whole entry
		indent, _ := indentOf([]byte(lines[at]))
		for n = 1; at+n < len(lines); n++ {
			if below, _ := indentOf([]byte(lines[at+n])); below <= indent {
				break
			}
		}
	}
	if d.IntN(2) == 0 {
		return slices.Delete(slices.Clone(lines), at, at+n)
	}
	more := slices.Clone(lines[at : at+n])
	if d.IntN(3) > 0 {
		for i, line := range more {
			name, value, found := strings.Cut(line, ": ")
			if strings.HasSuffix(name, "name") && found {
				more[i] = name + ": " + value + "x"
			} else if found && d.IntN(2) == 0 {
				more[i] = name + "x: " + value
			}
		}
	}
	return slices.Insert(slices.Clone(lines), at+n, more...)
}

// TestLawDerived: a version that is derived from a newer one has the atoms of this that it has when it is parsed
// (rules/blame: commits).
func TestLawDerived(t *testing.T) {
	m := newMatcher()
	derived, lost := 0, 0
	for number := range uint64(20_000 / seed.Step(5)) {
		d := manifestDrawing{rand.New(rand.NewPCG(number, 1))}
		now := d.manifest("first")
		if d.IntN(3) == 0 {
			now = slices.Concat(now, []string{"---"}, d.manifest("second"))
		}
		then := d.edit(now)
		if d.IntN(3) == 0 {
			now = d.edit(now)
		}
		newer, older := versionOf(now), versionOf(then)
		for _, one := range newer.documents {
			one.load(m.kinds)
		}
		was, changed := newer.derived(older.text, m.kinds)
		if was == nil || len(was.documents) != len(older.documents) {
			continue
		}
		derived++
		for i, one := range newer.documents {
			parsed := older.documents[i]
			parsed.load(m.kinds)
			if one.item == nil || parsed.item == nil {
				continue // one is no YAML
			}
			if was.documents[i].line != parsed.line {
				t.Fatalf("document %d is in line %d, not %d:\n%s\n=>\n%s", i, was.documents[i].line, parsed.line, newer.text, older.text)
			}
			for k := range one.leaves {
				for _, a := range newUnit(one, &one.leaves[k]).atoms() {
					got := !slices.Contains(changed[i], a.path) || a.isIn(was.documents[i])
					if want := a.isIn(parsed); got != want {
						t.Fatalf("seed %d: %s is kept: %v, want %v\n%s\n=>\n%s", number, a.path, got, want, newer.text, older.text)
					}
					if !got {
						lost++
					}
				}
			}
			for _, l := range was.documents[i].leaves {
				if at := slices.IndexFunc(parsed.leaves, func(p leaf) bool { return p.name == l.name }); at < 0 || parsed.leaves[at].line != l.line {
					t.Fatalf("seed %d: %s is not in line %d\n%s\n=>\n%s", number, l.name, l.line, newer.text, older.text)
				}
			}
		}
	}
	if derived < 1_500/seed.Step(5) || lost < 1_500/seed.Step(5) {
		t.Errorf("only %d versions were derived, and %d atoms lost", derived, lost)
	}
}

// versionOf returns a file with lines.
func versionOf(lines []string) *fileVersion {
	text := []byte(strings.Join(lines, "\n") + "\n")
	return &fileVersion{text, newGroup(readDocuments("a.yaml", text))}
}
