package tests

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The versions of the file in README's picture. Ours has a newer image and more replicas; theirs has a
// pull policy, and other replicas.
const (
	pictureBase = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: web
        image: nginx:1
        ports:
        - containerPort: 80
`
	pictureShown = 5 // the first line that is shown
)

// TestPicture draws README's picture from a real run: a merge by git, and the same merge by the driver.
func TestPicture(t *testing.T) {
	ours := strings.NewReplacer("replicas: 1", "replicas: 2", "nginx:1", "nginx:2").Replace(pictureBase)
	theirs := strings.NewReplacer("replicas: 1", "replicas: 3", "        ports:", "        imagePullPolicy: Always\n        ports:").Replace(pictureBase)
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("base.yaml", pictureBase)
	write("ours.yaml", ours)
	write("theirs.yaml", theirs)
	git := exec.Command("git", "-c", "merge.conflictStyle=merge", "merge-file", "-p", "-L", "ours", "-L", "base", "-L", "theirs", "ours.yaml", "base.yaml", "theirs.yaml")
	git.Dir = dir
	byGit, _ := git.Output() // which fails, with the number of conflicts
	driver := commandOf("", "git", "driver", "base.yaml", "ours.yaml", "theirs.yaml", "-p", "web.yaml")
	driver.Dir = dir
	if out, err := driver.CombinedOutput(); driver.ProcessState == nil || driver.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	byFields, err := os.ReadFile(filepath.Join(dir, "ours.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	drawn := drawMerges(string(byGit), string(byFields))
	const file = "docs/merge.svg"
	if *update {
		if err := os.WriteFile(file, drawn, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(drawn, readOptional(t, file)) {
		t.Errorf("%s does not show what the merges give; go test ./tests -run TestPicture -update draws it again", file)
	}
}

const (
	lineHeight = 19
	panelWidth = 420
)

// drawMerges returns an SVG with two texts side by side. It has the colours of the reader's scheme.
func drawMerges(left, right string) []byte {
	texts := [2][]string{strings.Split(strings.TrimSpace(left), "\n")[pictureShown-1:], strings.Split(strings.TrimSpace(right), "\n")[pictureShown-1:]}
	height := 60 + lineHeight*max(len(texts[0]), len(texts[1]))
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="A merge by git with two conflicts, and the same merge by resource-merge with one">
<style>
text { font: 13px ui-monospace, "DejaVu Sans Mono", Consolas, monospace; fill: #1b1f24; white-space: pre; }
.title { font: 600 15px system-ui, sans-serif; }
.panel { fill: #f3f5f7; stroke: #c9d1d9; }
.mark { fill: #fff3d6; }
.markers { fill: #7a4a00; font-weight: 600; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .panel { fill: #171d26; stroke: #3a434e; }
  .mark { fill: #33270c; }
  .markers { fill: #f0c36a; }
}
</style>
`, 2*panelWidth+20, height)
	for i, title := range [2]string{"git merge", "resource-merge"} {
		x := i * (panelWidth + 20)
		fmt.Fprintf(&b, `<text class="title" x="%d" y="22">%s</text>`+"\n", x+8, title)
		fmt.Fprintf(&b, `<rect class="panel" x="%d.5" y="32.5" width="%d" height="%d" rx="6"/>`+"\n", x, panelWidth-1, height-33)
		inConflict := false
		for n, line := range texts[i] {
			class, y := "", 54+n*lineHeight
			marker := strings.HasPrefix(line, "<<<<<<<") || strings.HasPrefix(line, "=======") || strings.HasPrefix(line, ">>>>>>>")
			inConflict = inConflict || marker
			if inConflict {
				fmt.Fprintf(&b, `<rect class="mark" x="%d" y="%d" width="%d" height="%d"/>`+"\n", x+1, y-14, panelWidth-2, lineHeight)
			}
			if marker {
				class, inConflict = ` class="markers"`, !strings.HasPrefix(line, ">>>>>>>")
			}
			fmt.Fprintf(&b, `<text%s x="%d" y="%d">%s</text>`+"\n", class, x+12, y, html.EscapeString(line))
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
