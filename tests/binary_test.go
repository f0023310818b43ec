package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/tests/seed"
)

// oracles are the modules that only comparisons in modules of their own use.
func oracles() []string {
	return []string{
		"k8s.io/api", "k8s.io/apimachinery", "k8s.io/client-go", "sigs.k8s.io/cli-utils", "sigs.k8s.io/structured-merge-diff",
		"gopkg.in/evanphx/json-patch", "github.com/kptdev/",
	}
}

// TestOraclesStayOutOfGoMod finds modules in go.mod that would raise the versions of a program
// that uses the library.
func TestOraclesStayOutOfGoMod(t *testing.T) {
	out, err := exec.Command("go", "mod", "edit", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct{ Require []struct{ Path string } }
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	if len(mod.Require) == 0 {
		t.Fatal("go.mod requires nothing")
	}
	for _, module := range mod.Require {
		for _, oracle := range oracles() {
			if strings.HasPrefix(module.Path, oracle) {
				t.Errorf("go.mod requires %s, which belongs into tests/oracle", module.Path)
			}
		}
	}
}

// TestOraclesStayOutOfTheBinary finds modules of the binary that only tests may use
// (docs/dependencies.md).
func TestOraclesStayOutOfTheBinary(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(packages), "\nsigs.k8s.io/yaml/kyaml\n") {
		t.Error("the binary has the encoder of KYAML in it")
	}
	modules := strings.Fields(string(out))
	if len(modules) == 0 {
		t.Fatal("go list names no module")
	}
	for _, module := range modules {
		for _, oracle := range append(oracles(), "github.com/santhosh-tekuri/jsonschema") {
			if strings.HasPrefix(module, oracle) {
				t.Errorf("the binary has %s in it", module)
			}
		}
	}
}

// maxInit limits the bytes that the packages of the program and of its dependencies allocate before main.
const maxInit = 440_000

// TestInitIsSmall counts the allocations of all packages before main, which every start of the program pays.
func TestInitIsSmall(t *testing.T) {
	seed.Long(t)
	program := filepath.Join(t.TempDir(), "resource-merge")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command(program, "--version")
	run.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sum, most := 0, ""
	for line := range strings.Lines(string(out)) {
		var name, at, clock string
		var taken, bytes int
		if n, _ := fmt.Sscanf(line, "init %s %s ms, %s ms clock, %d bytes, %d allocs", &name, &at, &clock, &bytes, &taken); n < 4 {
			continue
		}
		if sum += bytes; bytes > maxInit/20 {
			most += fmt.Sprintf("\n%8d bytes in %s", bytes, name)
		}
	}
	if sum == 0 {
		t.Fatalf("no package is initialised: %s", out)
	}
	if sum > maxInit {
		t.Errorf("the packages allocate %d bytes before main, more than %d:%s", sum, maxInit, most)
	}
}

// execution are the functions without which a Go program neither starts another one
// nor loads code: what their names begin with, as the linker writes them on Linux.
func execution() []string {
	return []string{"os/exec.", "os.StartProcess", "syscall.forkExec", "syscall.StartProcess", "syscall.Exec", "plugin.", "golang.org/x/sys/unix.Exec"}
}

// connection are those without which it neither connects anywhere nor listens.
func connection() []string {
	return []string{
		"net/http.(*Client).", "net/http.(*Transport).", "net/http.(*Server).", "crypto/tls.(*Conn).",
		"net.Dial", "net.Listen", "net.(*ListenConfig).", "net.Lookup", "golang.org/x/sys/unix.Connect",
	}
}

// TestFunctionCannotConnectNorExecute looks for forbidden functions in the linked function
// without the commands (rules/versions: the user's git). Packages that only commands call
// are among its imports; the linker leaves them out.
func TestFunctionCannotConnectNorExecute(t *testing.T) {
	seed.Long(t)
	checkForbidden(t, "./tests/function", slices.Concat(execution(), connection()))
}

// TestOnlyListedPackagesConnect finds packages of the binary that connect: source downloads archives.
func TestOnlyListedPackagesConnect(t *testing.T) {
	checkImporters(t, []string{"net", "net/http", "crypto/tls"}, []string{"source"})
}

// TestOnlyListedPackagesStartPrograms finds packages of the binary that start programs:
// internal/gitrepo starts git, command/internal/resolve the user's editor, values helm, and
// render the programs that a package names, if the user allows it.
func TestOnlyListedPackagesStartPrograms(t *testing.T) {
	checkImporters(t, []string{"os/exec"}, []string{"internal/gitrepo", "command/internal/resolve", "render", "values"})
}

// checkImporters checks that listed packages alone import any of some packages in the binary.
func checkImporters(t *testing.T, imports, listed []string) {
	t.Helper()
	const module = "github.com/resource-merge/resource-merge/"
	out, err := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	importers := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		isImported := func(name string) bool { return slices.Contains(imports, name) }
		if !strings.HasPrefix(fields[0], module) || !slices.ContainsFunc(fields[1:], isImported) {
			continue
		}
		if importers++; !slices.Contains(listed, strings.TrimPrefix(fields[0], module)) {
			t.Errorf("%s imports one of %v", fields[0], imports)
		}
	}
	if importers == 0 {
		t.Errorf("no package imports any of %v: is the list read right?", imports)
	}
}

func checkForbidden(t *testing.T, program string, forbidden []string) {
	t.Helper()
	binary, reached := buildAndTrace(t, program)
	symbols := symbolsOf(t, binary)
	if !slices.Contains(symbols, "os.OpenFile") || !slices.Contains(symbols, "main.main") {
		t.Fatalf("there are %d symbols, and not those that must be there", len(symbols))
	}
	for _, symbol := range symbols {
		for _, name := range forbidden {
			if strings.HasPrefix(symbol, name) {
				t.Errorf("%s has %s", program, symbol)
			}
		}
	}
	checkDialer(t, reached)
}

// checkDialer checks that the function that connects is in the binary for one reason only:
// net/http keeps it in a variable, its default transport, which nothing uses.
func checkDialer(t *testing.T, reached map[string][]string) {
	t.Helper()
	const dial = "net.(*Dialer).DialContext"
	for _, from := range reached[dial] {
		if from != dial+"-fm" {
			t.Errorf("%s calls %s", from, dial)
		}
	}
	for _, from := range reached[dial+"-fm"] {
		if from != "net/http.init" {
			t.Errorf("%s uses %s", from, dial)
		}
	}
	for _, from := range reached["net/http.DefaultTransport"] {
		if !strings.HasPrefix(from, "net/http.") {
			t.Errorf("%s uses net/http.DefaultTransport", from)
		}
	}
}

// buildAndTrace builds a program as a release does, and returns, for each symbol, the
// symbols that the linker reached it from.
func buildAndTrace(t *testing.T, program string) (binary string, reached map[string][]string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "resource-merge")
	build := exec.Command("go", "build", "-ldflags=-dumpdep", "-o", binary, program)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	var said bytes.Buffer
	build.Stderr = &said
	if err := build.Run(); err != nil {
		t.Fatalf("%v\n%.1000s", err, said.String())
	}
	reached = map[string][]string{}
	for line := range strings.Lines(said.String()) {
		if from, to, found := strings.Cut(strings.TrimSpace(line), " -> "); found {
			name, _, _ := strings.Cut(to, " <")
			reached[name] = append(reached[name], strings.Fields(from + " ")[0])
		}
	}
	if len(reached["main.main"]) == 0 {
		t.Fatalf("the linker does not say what main.run is reached from\n%.1000s", said.String())
	}
	return binary, reached
}

// symbolsOf returns the names of a binary's symbols.
func symbolsOf(t *testing.T, binary string) (names []string) {
	t.Helper()
	out, err := exec.Command("go", "tool", "nm", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) > 1 {
			names = append(names, fields[len(fields)-1])
		}
	}
	return names
}
