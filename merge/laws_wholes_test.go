package merge

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// wholes draws versions of a Deployment that differ in whole values which may be merged in parts: images, strings of
// several lines, lists without keys, quantities and plain words. Each side changes about half of them.
func (d drawer) wholes(t interface{ Fatal(...any) }) [3]*yaml.Node {
	o := d.wholeValues()
	o[0] = "web:1"
	var versions [3]*yaml.Node
	for side := range versions {
		values := slices.Clone(o)
		if side > 0 {
			for i, v := range d.wholeValues() {
				if d.IntN(2) == 0 {
					values[i] = v
				}
			}
			values[2], values[3] = d.editScript(o[2]), d.editScript(o[3])
		}
		versions[side] = parse(t, deploymentOf(values))
	}
	return versions
}

// wholeValues returns two images, two scripts, a quantity, a word, and the arguments and tolerations.
func (d drawer) wholeValues() []string {
	pick := func(texts ...string) string { return texts[d.IntN(len(texts))] }
	some := func(texts ...string) string {
		var out []string
		for range d.IntN(5) {
			out = append(out, pick(texts...))
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	image := func() string {
		return pick("web:1", "web:2", "mirror/web:1", "mirror/web", "h:5/web@sha256:ab", "'$(I)'", "''")
	}
	script := "#!/bin/sh\nset -e\ncd /srv\nrun\nrun\nwait\ndone\n"
	return []string{
		image(), image(), script, script, pick("1", "'1'", "1000m", "2"), pick("yes", "'yes'", "no"),
		some("-a", "-b", "--c", "yes", "'yes'"), some("{key: a}", "{key: b}", "{key: c}", "{effect: d}"),
	}
}

// editScript changes, removes or adds some lines of a script, below the first.
func (d drawer) editScript(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range d.IntN(3) {
		at := 1 + d.IntN(len(lines)-1)
		added := []string{"other\n", "run\n", "\n"}[d.IntN(3)]
		switch d.IntN(3) {
		case 0:
			lines[at] = added
		case 1:
			lines = slices.Insert(lines, at, added)
		case 2:
			if len(lines) > 3 {
				lines = slices.Delete(lines, at, at+1)
			}
		}
	}
	return strings.Join(lines, "")
}

func deploymentOf(v []string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {script: %q, word: %s}}
spec:
  template:
    spec:
      tolerations: %s
      containers:
      - name: web
        image: %s
        args: %s
        command: [-c, %q]
        resources: {limits: {cpu: %s}}
      - name: side
        image: %s
`, v[2], v[5], v[7], v[0], v[6], v[3], v[4], v[1])
}
