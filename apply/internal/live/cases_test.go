package live_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/live"
	"github.com/resource-merge/resource-merge/identity"
)

var update = flag.Bool("update", false, "rewrite the expectations of the cases in testdata")

// caseFile is a case: what goes in, and what comes out.
type caseFile struct {
	Says     string `yaml:"says"`
	Policy   string `yaml:"policy,omitempty"`
	MayEmpty bool   `yaml:"mayBeEmpty,omitempty"`
	Refused  string `yaml:"refused,omitempty"`
	Package  string `yaml:"package,omitempty"`
	Config   string `yaml:"config,omitempty"`
	Live     string `yaml:"live,omitempty"`

	Plan      string `yaml:"plan,omitempty"`
	Inventory string `yaml:"inventory,omitempty"`
	Error     string `yaml:"error,omitempty"`
}

// TestCases plans every case of testdata. A case that is carried out and planned again
// prunes nothing, but what was skipped before.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) { runCase(t, file) })
	}
}

func runCase(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c caseFile
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&c); err != nil {
		t.Fatal(err)
	}
	got := c
	got.Plan, got.Inventory, got.Error = outcome(t, c)
	if *update {
		var out bytes.Buffer
		encoder := yaml.NewEncoder(&out)
		encoder.SetIndent(2)
		if err := encoder.Encode(got); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(c, got); diff != "" {
		t.Errorf("expected (-), got (+):\n%s", diff)
	}
}

// outcome plans a case.
func outcome(t *testing.T, c caseFile) (plan, inventory, fault string) {
	own, err := live.Own(objects(t, c.Package))
	if err != nil {
		return "", "", err.Error()
	}
	in := live.Input{
		Config: objects(t, c.Config), Live: objects(t, c.Live), MayBeEmpty: c.MayEmpty, Adopt: c.Policy == "adopt",
		Refused: func(id identity.ID) bool { return id.String() == c.Refused },
	}
	if in.Inventory, err = live.Choose(own, in.Live); err != nil {
		return "", "", err.Error()
	}
	p, err := live.New(in)
	if err != nil {
		return "", "", err.Error()
	}
	return shown(p), text(t, p.Inventory()), ""
}

// shown is a plan, a line a step.
func shown(plan *live.Plan) string {
	var b strings.Builder
	for _, s := range plan.Steps {
		fmt.Fprintf(&b, "%d %v %v", s.Wave, s.Action, s.ID)
		if s.Reason != live.None {
			fmt.Fprintf(&b, ": %v", s.Reason)
		}
		for _, about := range []string{s.Other.String(), s.Annotation, s.Value} {
			if about != "" {
				b.WriteString(" " + about)
			}
		}
		for _, m := range s.Mutations {
			fmt.Fprintf(&b, ", gets %s of %v at %s %s", m.SourcePath, m.Source, m.TargetPath, m.Token)
		}
		b.WriteString("\n")
	}
	return b.String()
}
