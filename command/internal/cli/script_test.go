package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-merge/resource-merge/command/internal/cli"
)

// TestMain makes this test binary stand in for resource-merge in the scripts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"resource-merge": func() {
			os.Exit(cli.Program{Readme: []byte("# resource-merge\n"), Metadata: []byte("{}\n"), Release: "v0.0.0"}.Main())
		},
	})
}

// TestScripts runs what users type: each file of testdata has a script and the files
// that it works on.
func TestScripts(t *testing.T) {
	hosts := upstreamHosts(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, hosts...)
			e.Setenv("KPT_CACHE_DIR", e.WorkDir+"/.cache")
			e.Setenv("HOME", e.WorkDir+"/.home")
			e.Vars = append(e.Vars, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=maintenance.auto", "GIT_CONFIG_VALUE_0=false") // it starts two processes a commit
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				e.Setenv("GIT_"+who+"_NAME", "somebody")
				e.Setenv("GIT_"+who+"_EMAIL", "somebody@example.com")
			}
			return nil
		},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"code": code, "append": appendFile},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// code runs a command that ends with an exit code: code 2 resource-merge merge.
func code(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var ended *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &ended) {
		got = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// appendFile appends a file to another one: append shop/web.yaml more.txt.
func appendFile(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0]) + ts.ReadFile(args[1])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}
