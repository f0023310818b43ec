package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Documents of the driver's cases. The second is laid out as no encoder would.
const (
	licence = "# Licence.\n# SPDX-License-Identifier: Apache-2.0\n"
	one     = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: \"1\"\n"
	odd     = "\n# Ours.\n\nkind:   ConfigMap\napiVersion: v1\nmetadata: { name: odd }\n\ndata:\n    text: |\n        a\n\n\n        b\n"
)

// oneWith is one with another value.
func oneWith(value string) string { return strings.Replace(one, `"1"`, `"`+value+`"`, 1) }

// documentsOf is several in one file.
func documentsOf(documents ...string) string { return strings.Join(documents, "---\n") }

// driverCase has the versions that git gives the merge driver, its result, and its
// message: none, if git's merge of the lines would be as good.
type driverCase struct {
	base, ours, theirs, want string
	exit                     int
	message                  string
}

var driverCases = map[string]driverCase{
	"other documents keep their bytes": {
		base: documentsOf(licence, one, odd), ours: documentsOf(licence, oneWith("2"), odd), theirs: documentsOf(licence, one+"  b: \"1\"\n", odd),
		want:    documentsOf(licence, oneWith("2")+"  b: \"1\"\n", odd),
		message: "some dir/it's.yaml: solved by fields; git would have left 1 conflict",
	},
	"conflict": {
		base: one, ours: oneWith("2"), theirs: oneWith("3"),
		want: strings.Replace(one, "  a: \"1\"\n", "<<<<<<< ours\n  a: \"2\"\n=======\n  a: \"3\"\n>>>>>>> theirs\n", 1), exit: 1,
	},
	"template": {
		base: "{{ if }}\n" + one, ours: "{{ if }}\n" + oneWith("2"), theirs: "{{ if }}\n" + oneWith("3"),
		want: "{{ if }}\n" + strings.Replace(one, "  a: \"1\"\n", "<<<<<<< ours\n  a: \"2\"\n=======\n  a: \"3\"\n>>>>>>> theirs\n", 1), exit: 1,
		message: "its lines are merged, as git does",
	},
}

// TestGitDriver runs the merge driver as git before 2.44 does, which does not say what
// the sides are called.
func TestGitDriver(t *testing.T) {
	for name, test := range driverCases {
		t.Run(name, test.check)
	}
}

func (c driverCase) check(t *testing.T) {
	dir := tree{"base": c.base, "ours": c.ours, "theirs": c.theirs}.write(t)
	cmd := exec.Command(filepath.Join(bin, "resource-merge"), "git", "driver", "base", "ours", "theirs", "-L", "7", "-p", "some dir/it's.yaml", "-s", "%S", "-x", "%X", "-y", "%Y")
	cmd.Dir, cmd.Env = dir, environment(t)
	output, err := cmd.CombinedOutput()
	if got := exitCode(err); got != c.exit {
		t.Errorf("exit code %d, want %d", got, c.exit)
	}
	if diff := cmp.Diff(c.want, readTree(t, dir)["ours"]); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	if c.message == "" && len(output) > 0 || !strings.Contains(string(output), c.message) {
		t.Errorf("it prints, want %q:\n%s", c.message, output)
	}
}

// A driver that was called otherwise than git calls it must not have git believe that
// there is a result.
func TestGitDriverMisused(t *testing.T) {
	for _, args := range [][]string{{}, {"a", "b"}, {"a", "b", "c", "--odd"}, {"a", "b", "c"}} {
		cmd := exec.Command(filepath.Join(bin, "resource-merge"), append([]string{"git", "driver"}, args...)...)
		cmd.Dir, cmd.Env = t.TempDir(), environment(t)
		if output, err := cmd.CombinedOutput(); exitCode(err) <= 128 {
			t.Errorf("%v: exit code %d\n%s", args, exitCode(err), output)
		}
		if left, err := os.ReadDir(cmd.Dir); err != nil || len(left) > 0 {
			t.Errorf("%v: %v, left behind: %v", args, err, left)
		}
	}
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}
