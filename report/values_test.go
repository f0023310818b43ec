package report_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/values"
)

// TestCandidates: a sentence names up to three candidates of a dead line, and the findings have all of them.
func TestCandidates(t *testing.T) {
	paths := [][]string{{"a"}, {"b"}, {"c"}, {"d"}}
	for n := range len(paths) + 1 {
		r := report.NewValues(&values.Result{Origin: &values.Chart{}, Upstream: &values.Chart{}, Findings: []*values.Finding{
			{Class: values.Dead, Path: []string{"old"}, Candidates: paths[:n]},
		}})
		var got struct {
			Findings []struct{ Candidates []string }
		}
		asJSON := slices.IndexFunc(report.Formats(), func(f report.Format) bool { return f.Name == "json" })
		if err := json.Unmarshal([]byte(written(t, report.Formats()[asJSON], r)), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Findings) != 1 || len(got.Findings[0].Candidates) != n || len(r.Notices) != 1 {
			t.Fatalf("%d candidates: %+v", n, r)
		}
		if named := strings.Contains(r.Notices[0].Message, "it may be a"); named != (n > 0 && n < 4) {
			t.Errorf("%d candidates: %s", n, r.Notices[0].Message)
		}
	}
}

// TestTextsOfDefaults: of a text with several lines a sentence has the first line that differs.
func TestTextsOfDefaults(t *testing.T) {
	r := report.NewValues(&values.Result{Origin: &values.Chart{}, Upstream: &values.Chart{}, Findings: []*values.Finding{{
		Class: values.MovedBeneath, Path: []string{"conf"}, HasOld: true, HasNew: true,
		OldDefault: "a\nb\nc\nd\n", NewDefault: "a\nb\nc\nD\n", Value: "a\nmine\nc\nd\n",
	}}})
	want := `conf: moved beneath: the default was "d" and is "D"; the values have "mine" and 1 line`
	if len(r.Notices) != 1 || r.Notices[0].Message != want {
		t.Errorf("got %+v, want %s", r.Notices, want)
	}
}
