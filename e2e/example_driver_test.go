package e2e

import (
	"errors"
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
	added   = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: added\n"

	annotated = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    a: b # why\n  name: annotated\n"
	inOneLine = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: line, annotations: {a: b}}\n"
	lookalike = added + "data:\n  text: |\n    internal.config.kubernetes.io/path: 'a'\n"
)

// oneWith is one with another value.
func oneWith(value string) string { return strings.Replace(one, `"1"`, `"`+value+`"`, 1) }

// documentsOf is several in one file.
func documentsOf(documents ...string) string { return strings.Join(documents, "---\n") }

// driverCase is what the merge driver gets of git, what it makes of it, and what
// it says on the way: nothing, if all went well.
type driverCase struct {
	base, ours, theirs, want string
	exit                     int
	message                  string
}

var driverCases = map[string]driverCase{
	"nothing changed": {
		base: documentsOf(licence, one, odd), ours: documentsOf(licence, one, odd), theirs: documentsOf(licence, one, odd),
		want: documentsOf(licence, one, odd),
	},
	"other documents keep their bytes": {
		base: documentsOf(one, odd), ours: documentsOf(one, odd), theirs: documentsOf(oneWith("2"), odd),
		want: documentsOf(oneWith("2"), odd),
	},
	"licence of a document that changes": {
		base: licence + "\n" + one, ours: licence + "\n" + one, theirs: licence + "\n" + oneWith("2"),
		want: licence + "\n" + oneWith("2"),
	},
	"text above the first document": {
		base: documentsOf(licence, one), ours: documentsOf("# Ours.\n"+licence, one), theirs: documentsOf(licence, oneWith("2")),
		want: documentsOf("# Ours.\n"+licence, oneWith("2")),
	},
	"text above the first document on both sides": {
		base: documentsOf(licence, one), ours: documentsOf("# Ours.\n", one), theirs: documentsOf("# Theirs.\n", one),
		want:    documentsOf("<<<<<<< ours\n# Ours.\n=======\n# Theirs.\n>>>>>>> theirs\n", one),
		exit:    1,
		message: "differs above its first document",
	},
	"added without annotations": {
		base: one, ours: documentsOf(one, odd), theirs: documentsOf(one, added, inOneLine),
		want: documentsOf(one, added, inOneLine, odd),
	},
	"added with annotations": {
		base: one, ours: oneWith("2"), theirs: documentsOf(one, annotated),
		want: documentsOf(oneWith("2"), annotated),
	},
	"added with text that looks like annotations": {
		base: one, ours: one, theirs: documentsOf(one, lookalike), want: documentsOf(one, lookalike),
	},
	"annotations without a value": {
		base: one, ours: documentsOf(one, added+"  annotations:\n"), theirs: oneWith("2"),
		want: documentsOf(oneWith("2"), added+"  annotations:\n"),
	},
	"deleted": {base: documentsOf(one, added), ours: documentsOf(one, added), theirs: added, want: added},
	"deleted and changed": {
		base: documentsOf(one, added), ours: documentsOf(oneWith("2"), added), theirs: added,
		want: documentsOf(oneWith("2"), added), exit: 1, message: "upstream deleted it, local had changed its data.a to",
	},
	"conflict": {
		base: one, ours: oneWith("2"), theirs: oneWith("3"),
		want: oneWith("2"), exit: 1, message: "    currentValue: \"2\"\n    proposedValue: \"3\"\n",
	},
	"new on both sides": {
		ours: oneWith("2"), theirs: oneWith("3"),
		want: strings.Replace(one, "  a: \"1\"\n", "<<<<<<< ours\n  a: \"2\"\n=======\n  a: \"3\"\n>>>>>>> theirs\n", 1), exit: 1, message: "is new on both sides",
	},
	"new on both sides and equal": {ours: one, theirs: one, want: one, message: "is new on both sides"},
	"emptied": {
		base: one, ours: one, theirs: "", want: "", message: "no upstream items",
	},
	"no resource": {
		base: "a: 1\n\nb: 2\n\nc: 3\n", ours: "a: 0\n\nb: 2\n\nc: 3\n", theirs: "a: 1\n\nb: 2\n\nc: 0\n",
		want: "a: 0\n\nb: 2\n\nc: 0\n", message: "neither a kind nor a path; merging it line by line",
	},
	"template": {
		base: "{{ if }}\n" + one, ours: "{{ if }}\n" + one, theirs: "{{ if }}\n" + oneWith("2"),
		want: "{{ if }}\n" + oneWith("2"), message: "is not YAML",
	},
	"document with a comment alone": {
		base: documentsOf(one, "# Nothing.\n", odd), ours: documentsOf(one, "# Nothing.\n", odd), theirs: documentsOf(oneWith("2"), "# Nothing.\n", odd),
		want: documentsOf(oneWith("2"), "# Nothing.\n", odd), message: "merging it line by line",
	},
	"line ends": {
		base: "a: 1\r\n", ours: "a: 1\r\n", theirs: "a: 2\r\n", want: "a: 2\r\n", message: "line ends of an unusual kind",
	},
}

// TestExampleDriver runs the merge driver as git does.
func TestExampleDriver(t *testing.T) {
	for name, test := range driverCases {
		t.Run(name, func(t *testing.T) { test.check(t, copyExample(t, "git-merge-driver")) })
	}
}

func (c driverCase) check(t *testing.T, e example) {
	t.Helper()
	dir := tree{"base": c.base, "ours": c.ours, "theirs": c.theirs}.write(t)
	args := []string{filepath.Join(dir, "base"), filepath.Join(dir, "ours"), filepath.Join(dir, "theirs")}
	output, err := e.run(t, "./driver.sh", append(args, "some dir/it's.yaml")...)
	if got := exitCode(err); got != c.exit {
		t.Errorf("exit code %d, want %d", got, c.exit)
	}
	if diff := cmp.Diff(c.want, readTree(t, dir)["ours"]); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	if c.message == "" && output != "" || !strings.Contains(output, c.message) {
		t.Errorf("it prints, want %q:\n%s", c.message, output)
	}
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}
