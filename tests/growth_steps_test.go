package tests

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/tests/bench"
)

// stepsWanted is the variable that asks for TestGrowthOfSteps, which takes minutes.
const stepsWanted = "RESOURCE_MERGE_STEPS"

// maxGrowth is the largest factor by which the steps may grow for twice the input, without the
// steps of a small input: linear work gives 2, n log n up to 2.3, the square 4.
const maxGrowth = 2.6

// TestGrowthOfSteps counts the statements that a command executes for 2n and 4n of each shape: no
// mode and no report takes more than near-linear time (rules/reading: bounds). The counts come from
// a binary that is built for coverage, and do not depend on the machine. Of the standard library,
// only the loops of package slices are counted.
func TestGrowthOfSteps(t *testing.T) {
	if os.Getenv(stepsWanted) == "" {
		t.Skip(stepsWanted + " is not set: it takes minutes")
	}
	program := filepath.Join(t.TempDir(), "resource-merge")
	build := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg=./...,go.yaml.in/yaml/v3,slices", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	counter := stepCounter{program: program, covdata: toolPath(t, "covdata")}
	for _, shape := range growingPackages() {
		for _, command := range growingCommands() {
			t.Run(strings.ReplaceAll(shape.name+" "+command.name, " ", "-"), func(t *testing.T) {
				checkGrowth(t, shape.n, func(n int) (int, int) {
					dir := t.TempDir()
					for side, name := range [3]string{"o", "u", "l"} {
						writeShape(t, filepath.Join(dir, name), shape.files(n, side))
					}
					commitShape(t, filepath.Join(dir, "l"), shape.files(n, 0), shape.files(n, 2))
					write(t, filepath.Join(dir, "rules.yaml"), growingRules(n))
					return counter.steps(t, dir, nil, strings.Fields(command.args)...), n
				})
			})
		}
	}
	for _, shape := range growingValues() {
		t.Run("values-"+strings.ReplaceAll(shape.name, " ", "-"), func(t *testing.T) {
			checkGrowth(t, shape.n, func(n int) (int, int) {
				dir := t.TempDir()
				for side, name := range [3]string{"o.yaml", "u.yaml", "l.yaml"} {
					var b strings.Builder
					for i := range n {
						b.WriteString(shape.line(i, side))
					}
					write(t, filepath.Join(dir, name), shape.head+b.String())
				}
				return counter.steps(t, dir, nil, strings.Fields("values --origin o.yaml --upstream u.yaml --local l.yaml --prune --diff --report json=j")...), n
			})
		})
	}
	for _, g := range bench.AllGrowing() {
		t.Run("function-"+strings.ReplaceAll(g.Name, " ", "-"), func(t *testing.T) {
			checkGrowth(t, max(50, g.N/40), func(n int) (int, int) {
				in := g.Make(n)
				return counter.steps(t, t.TempDir(), in), len(in)
			})
		})
	}
}

// checkGrowth compares the steps for 4n with those for 2n, each without the steps for a tenth of
// n. A shape whose text grows faster than n, by its indentation, may take steps for the text. Fewer
// steps than there are parts do not grow with them.
func checkGrowth(t *testing.T, n int, count func(n int) (steps, size int)) {
	t.Parallel()
	base, _ := count(n / 10)
	more, moreSize := count(2 * n)
	most, mostSize := count(4 * n)
	growth := float64(most-base) / float64(max(more-base, 1))
	if twice := max(2, float64(mostSize)/float64(moreSize)); growth > maxGrowth*twice/2 && most-base > 4*n {
		t.Errorf("%d steps for %d, %d for %d: %.1f times as many for %.1f times as much", more, 2*n, most, 4*n, growth, twice)
	}
}

// stepCounter counts the statements that a program executes.
type stepCounter struct {
	program string // built for coverage
	covdata string // Go's tool that reads the counts
}

// toolPath returns the path of a tool of Go, building it if need be. Starting the tool by its path
// spares a start of the go command for each of the hundreds of counts.
func toolPath(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "tool", "-n", name).Output()
	if err != nil {
		t.Fatalf("go tool -n %s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

// steps runs the program and counts the statements that it executes.
func (c stepCounter) steps(t *testing.T, dir string, stdin []byte, args ...string) (n int) {
	t.Helper()
	counters, err := os.MkdirTemp("", "counters") // t.TempDir may have a comma, which separates directories here
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(counters)
	cmd := exec.Command(c.program, args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	// Goroutines that read equal bodies at one time both read them, so one processor counts.
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+counters, "GOMAXPROCS=1")
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%q: %v\n%.2000s", args, err, out)
	}
	text := filepath.Join(counters, "counters.txt")
	if out, err := exec.Command(c.covdata, "textfmt", "-i", counters, "-o", text).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := os.Open(text)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		// name:from,to statements count
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 {
			statements, _ := strconv.Atoi(fields[1])
			times, _ := strconv.Atoi(fields[2])
			n += statements * times
		}
	}
	if n == 0 {
		t.Fatalf("%q: no step was counted", args)
	}
	return n
}

// growingCommand is a command over three versions, o, u and l.
type growingCommand struct{ name, args string }

func growingCommands() []growingCommand {
	const merge = "merge --origin o --upstream u --local l "
	return []growingCommand{
		{"marked, with the page", merge + "--report html=page --report text"},
		{"upstream, with JSON", merge + "--conflicts upstream --report json=j -o out"},
		{"local, as a difference, with Markdown", merge + "--conflicts local --diff --report markdown=m --report github=g"},
		{"union, as patches", merge + "--conflicts union --patches -o out"},
		{"failing", merge + "--conflicts fail"},
		{"by rules with globs", merge + "--config rules.yaml --quiet -o out"},
		{"driver", "git driver o/a.yaml l/a.yaml u/a.yaml -p a.yaml"},
		{"overlay", "overlay --origin o --upstream u --local l -o out"},
		{"apply", "apply --live l u"},
		{"server-side apply", "apply --live l u --server-side"},
		{"blame", "blame l/a.yaml"},
	}
}

// growingRules are n rules with globs at either end.
func growingRules(n int) string {
	var b strings.Builder
	b.WriteString("apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nconflicts:\n  rules:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {kind: ConfigMap, name: \"e%d*\", prefer: local}\n  - {name: \"*x%d\", path: data.a, prefer: upstream}\n", i, i)
	}
	return b.String()
}

// growingPackage is a package that grows, in three versions that differ everywhere.
type growingPackage struct {
	name string
	n    int
	// files returns the files of a side, by name.
	files func(n, side int) map[string]string
}

func growingPackages() []growingPackage {
	one := func(head, foot string, line func(i, side int) string) func(n, side int) map[string]string {
		return func(n, side int) map[string]string {
			var b strings.Builder
			b.WriteString(head)
			for i := range n {
				b.WriteString(line(i, side))
			}
			return map[string]string{"a.yaml": b.String() + foot}
		}
	}
	const pod = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  template:\n    spec:\n      containers:\n      - name: c\n"
	const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s%d\n  namespace: n\ndata:\n  a: \"%d\"\n"
	return []growingPackage{
		{"keyed list", 200, one(pod+"        env:\n", "", func(i, side int) string {
			return fmt.Sprintf("        - name: E%d\n          value: \"%d\"\n", i, side)
		})},
		{"added elements", 200, one(pod+"        env:\n", "", func(i, side int) string {
			if side == 0 && i > 0 {
				return ""
			}
			return fmt.Sprintf("        - name: E%d\n          value: \"%d\"\n", i, side)
		})},
		{"added elements above others", 200, func(n, side int) map[string]string {
			var added, kept strings.Builder
			for i := range n {
				if side == 1 {
					fmt.Fprintf(&added, "        - name: A%d\n          value: a\n", i)
				}
				fmt.Fprintf(&kept, "        - name: E%d\n          value: \"%d\"\n", i, side)
			}
			return map[string]string{"a.yaml": pod + "        env:\n" + added.String() + kept.String()}
		}},
		{"list without keys", 200, one(pod+"        args:\n", "", func(i, side int) string { return fmt.Sprintf("        - --e%d=%d\n        - --f%d\n", i, side, i) })},
		{"maps without keys", 200, one("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  template:\n    spec:\n      tolerations:\n", "", func(i, side int) string {
			return fmt.Sprintf("      - key: e%d\n        value: v%d\n      - key: f%d\n        value: x\n", i, side, i)
		})},
		{"fields", 200, one("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n", "", func(i, side int) string { return fmt.Sprintf("  e%d: \"%d\"\n", i, side) })},
		{"comments", 200, one("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n", "", func(i, side int) string { return fmt.Sprintf("  e%d: \"1\" # c%d\n", i, side) })},
		{"lines of a value", 200, one("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: |\n", "", func(i, side int) string { return fmt.Sprintf("    line %d\n    v%d\n", i, side) })},
		{"elements of a custom resource", 200, one("apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: a\nspec:\n  items:\n", "", func(i, side int) string {
			return fmt.Sprintf("  - name: e%d\n    value: \"%d\"\n", i, side)
		})},
		{"documents", 100, one("", "", func(i, side int) string { return "---\n" + fmt.Sprintf(configMap, "e", i, side) })},
		{"items of a List", 100, one("apiVersion: v1\nkind: List\nitems:\n", "", func(i, side int) string {
			return fmt.Sprintf("- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: e%d\n  data:\n    a: \"%d\"\n", i, side)
		})},
		{"renamed documents", 100, one("", "", func(i, side int) string {
			return "---\n" + fmt.Sprintf(configMap, [3]string{"e", "e", "my-e"}[side], i, side)
		})},
		{"files", 50, func(n, side int) map[string]string {
			files := map[string]string{"a.yaml": fmt.Sprintf(configMap, "a", 0, side)}
			for i := range n {
				files[fmt.Sprintf("f%d.yaml", i)] = fmt.Sprintf(configMap, "e", i, side)
			}
			return files
		}},
		{"added files", 50, func(n, side int) map[string]string {
			files := map[string]string{"a.yaml": fmt.Sprintf(configMap, "a", 0, side), "b.yaml": fmt.Sprintf(configMap, "b", 0, 0)}
			for i := 0; i < n && side == 1; i++ {
				files[fmt.Sprintf("f%d.yaml", i)] = fmt.Sprintf(configMap, "e", i, side)
			}
			return files
		}},
		{"files that local removed", 50, func(n, side int) map[string]string {
			files := map[string]string{"a.yaml": fmt.Sprintf(configMap, "a", 0, side), "b.yaml": fmt.Sprintf(configMap, "b", 0, 0)}
			for i := 0; i < n && side < 2; i++ {
				files[fmt.Sprintf("f%d.yaml", i)] = fmt.Sprintf(configMap, "e", i, side)
			}
			return files
		}},
		{"anchors and aliases", 200, one("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n", "", func(i, side int) string {
			return fmt.Sprintf("  a%[1]d: &a%[1]d x%[2]d\n  b%[1]d: *a%[1]d\n", i, side)
		})},
		{"merge keys", 200, one("apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: a\nspec:\n  base: &base {a: 1, b: 2}\n  parts:\n", "", func(i, side int) string {
			return fmt.Sprintf("    e%d:\n      <<: *base\n      c: %d\n", i, side)
		})},
		{"duplicate keys", 200, one(pod+"        env:\n", "", func(i, side int) string {
			return fmt.Sprintf("        - name: E%d\n          value: \"%d\"\n", i/2, i*side)
		})},
		{"comments between lines", 200, one("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n", "", func(i, side int) string {
			return fmt.Sprintf("  # above %d %d\n\n  # at %d\n  e%d: \"1\"\n", i, side, i, i)
		})},
		{"words of a line", 500, one("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: a", "\n", func(i, side int) string {
			return fmt.Sprintf(" word%d v%d", i, side)
		})},
		{"lines of a text", 300, func(n, side int) map[string]string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "line %d\n%d\n", i, side)
			}
			return map[string]string{"a.yaml": fmt.Sprintf(configMap, "a", 0, side), "b.txt": b.String()}
		}},
	}
}

// growingDefaults is a values file that grows: the defaults of two versions of a chart, and a user's.
type growingDefaults struct {
	name, head string
	n          int
	line       func(i, side int) string
}

func growingValues() []growingDefaults {
	return []growingDefaults{
		{"changed fields", "", 200, func(i, side int) string { return fmt.Sprintf("k%d: %d\n", i, i+side) }},
		{"unknown fields", "a: 1\n", 1000, func(i, side int) string { return fmt.Sprintf("%c%d: %d\n", "kkn"[side], i, i) }},
		{"elements of a list", "list:\n", 200, func(i, side int) string { return fmt.Sprintf("- name: n%d\n  value: %d\n", i, side) }},
		{"fields below maps", "a: 1\n", 200, func(i, side int) string { return fmt.Sprintf("k%d:\n  a: value-%d\n  b: %d\n", i, i, i+min(side, 1)) }},
	}
}

// writeShape writes the files of a version.
func writeShape(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
}

// commitShape makes a directory a repository, with a commit for each version.
func commitShape(t *testing.T, dir string, versions ...map[string]string) {
	t.Helper()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	for _, files := range versions {
		git("rm", "-rqf", "--ignore-unmatch", ".")
		writeShape(t, dir, files)
		git("add", "-A")
		git("commit", "-qm", "a version", "--allow-empty")
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
