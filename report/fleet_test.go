package report_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// resultsOf are results of the function, as kpt and Porch have them, of a package that
// has so many replicas, in JSON.
func resultsOf(replicas string) string {
	return `[{"message":"merged 1 resource: 1 changed, 0 added, 0 deleted, 0 unchanged; 1 conflict: upstream's value taken","severity":"info"},
{"message":"Deployment web spec.replicas: both","severity":"warning","resourceRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},
"field":{"path":"spec.replicas","currentValue":"` + replicas + `","proposedValue":"2"},"tags":{"conflict":"both-changed","chosen":"upstream","origin":"1"}},
{"message":"lines of both","severity":"info","resourceRef":{"apiVersion":"v1","kind":"ConfigMap","name":"web"},"field":{"path":"data.a"},"tags":{"conflict":"both-changed"}}]`
}

// manyWith is a long list in JSON with a number in its middle.
func manyWith(n int) string {
	same := strings.Repeat(`"--b", `, 60)
	return fmt.Sprintf(`[%s"--x=%d", %s"--b"]`, same, n, same)
}

// TestReadRuns reads each kind of report.
func TestReadRuns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"a ResourceList": {`{"kind":"ResourceList","items":[],"results":` + resultsOf("3") + `}`, `1 package: 0 without conflicts, 1 with conflicts; 1 conflict, 1 different

1 package: Deployment web spec.replicas
  both-changed: origin 1, upstream 2; upstream's taken
  local 3  1 package: file
`},
		"a ResourceList in YAML": {"kind: ResourceList\nitems: []\nresults:\n- message: merged\n  severity: info\n", "1 package: 1 without conflicts, 0 with conflicts\n"},
		"a run that failed":      {"kind: ResourceList\nresults:\n- message: \"no\\u202e list\"\n  severity: error\n", "1 package: 0 without conflicts, 0 with conflicts, 1 failed\n\n1 package failed: no\\u202e list\n  file\n"},
		"what kpt writes": {`{"kind":"FunctionResultList","items":[{"image":"a","results":` + resultsOf("3") + `},{"image":"b"}]}`, `1 package: 0 without conflicts, 1 with conflicts; 1 conflict, 1 different

1 package: Deployment web spec.replicas
  both-changed: origin 1, upstream 2; upstream's taken
  local 3  1 package: file
`},
		"package variants": {`{"kind":"List","items":[
{"kind":"PackageVariant","metadata":{"name":"a"},"spec":{"downstream":{"repo":"edge","package":"a"}},"status":{"conditions":[{"type":"Stalled","status":"False","message":"all validation checks passed"},{"type":"Ready","status":"True","message":"ok"}],
"downstreamTargets":[{"name":"x","renderStatus":{"error":"","result":{"items":[{"image":"i","results":` + resultsOf("3") + `}]}}}]}},
{"kind":"PackageVariant","metadata":{"name":"b","namespace":"n"},"status":{"downstreamTargets":[{"renderStatus":{"result":{"items":[{"results":` + resultsOf("4") + `}]}}}]}},
{"kind":"PackageVariant","metadata":{"name":"c"},"status":{"conditions":[{"type":"Stalled","status":"False","message":"fine"},{"type":"Ready","status":"False","message":"func eval failed"}]}},
{"kind":"PackageVariant","metadata":{"name":"d"},"status":{"conditions":[{"type":"Ready","status":"False","message":"func eval \"i\" failed: a\n\nb and stderr: resource-merge: nothing merged: 1 conflict fails the run, first Deployment d/web spec.replicas: it\n"}]}}]}`,
			`4 packages: 0 without conflicts, 2 with conflicts, 2 failed; 2 conflicts, 1 different

2 packages: Deployment web spec.replicas
  both-changed: origin 1, upstream 2; upstream's taken
  local 3  1 package: edge/a
  local 4  1 package: n/b

1 package failed: func eval failed
  c

1 package failed: nothing merged: 1 conflict fails the run
  d
`},
		"a list with odd items": {`{"kind":"ResourceList","items":[{"kind":"A","spec":"text","status":[],"results":1,"metadata":{"name":7}}],"results":[]}`, "1 package: 1 without conflicts, 0 with conflicts\n"},
		"odd data in YAML":      {"kind: ResourceList\nitems: [{data: {1: a, 2.5: .nan}}]\nresults: []\n", "1 package: 1 without conflicts, 0 with conflicts\n"},
		"large numbers": {`{"summary":{"message":"","failed":false},"conflicts":[{"kind":"both-changed","resource":{"kind":"A","name":"a"},"path":"a","origin":30000000,"upstream":12345678901234567890,"local":{"a":1.50,"b":[true,null,"80"]},"chosen":null,"rule":null}]}`,
			"1 package: 0 without conflicts, 1 with conflicts; 1 conflict, 1 different\n\n1 package: A a a\n  both-changed: origin 30000000, upstream 12345678901234567890; not decided\n  local {a: 1.50, b: [true, null, \"80\"]}  1 package: file\n"},
		"long values": {fmt.Sprintf(`{"summary":{"message":"","failed":false},"conflicts":[{"kind":"both-changed","resource":{"kind":"A","name":"a"},"path":"a","origin":%s,"upstream":%s,"local":%s,"chosen":null,"rule":null}]}`, manyWith(1), manyWith(22), manyWith(3)),
			"1 package: 0 without conflicts, 1 with conflicts; 1 conflict, 1 different\n\n1 package: A a a\n  both-changed: origin …--b, --b, --b, --x=1, --b, --b, --b, --b, --…, upstream …--b, --b, --b, --x=22, --b, --b, --b, --b, --…; not decided\n  local …--b, --b, --b, --x=3, --b, --b, --b, --b, --…  1 package: file\n"},
		"resources of a package revision": {`{"kind":"PackageRevisionResources","metadata":{"name":"a"},"status":{"renderStatus":{"error":"it failed"}}}`, "1 package: 0 without conflicts, 0 with conflicts, 1 failed\n\n1 package failed: it failed\n  a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			runs := report.ReadRuns([]byte(c.text), "file")
			if diff := cmp.Diff(c.want, fleetAs(t, "text", runs)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReadRunsRefuses reads texts that are no reports.
func TestReadRunsRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", "[]", "text", "{}", "kind: Deployment\n", `{"kind":"ResourceList","results":3}`, "a: &a [*a]\n", `{"kind":"List","items":[{"kind":"Pod"}]}`, `{"kind":"List","items":[3]}`, "{\"summary\": 1}"} {
		if got := fleetAs(t, "text", report.ReadRuns([]byte(text), "file")); !strings.Contains(got, "1 failed\n\n1 package failed: no report of a merge: ") {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// fleetAs is a fleet in a format.
func fleetAs(t interface{ Fatal(...any) }, format string, runs []report.Run) string {
	var b strings.Builder
	for _, f := range report.NewFleet(runs).Formats() {
		if f.Name == format {
			if err := f.Write(&b, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.String()
}

// TestFleetOfCases makes one report of the reports of all cases. It has each conflict
// once.
func TestFleetOfCases(t *testing.T) {
	t.Parallel()
	var runs []report.Run
	conflicts := 0
	for _, c := range cases(t) {
		r := merged(t, c)
		if r == nil {
			continue
		}
		conflicts += r.Summary.Conflicts
		read := report.ReadRuns([]byte(written(t, format("json"), r)), c.Name)
		runs = append(runs, read...)
	}
	text := fleetAs(t, "json", runs)
	var fleet struct {
		Summary   struct{ Conflicts int }
		Conflicts []struct{ Count int }
	}
	if err := json.Unmarshal([]byte(text), &fleet); err != nil {
		t.Fatal(err)
	}
	counted := 0
	for _, group := range fleet.Conflicts {
		counted += group.Count
	}
	if fleet.Summary.Conflicts != conflicts || counted != conflicts || conflicts < 100/caseStep() {
		t.Errorf("%d conflicts, of which the report has %d, and %d alike", conflicts, fleet.Summary.Conflicts, counted)
	}
	validate(t, compileSchema(t, "../docs/fleet.schema.json"), "all cases", text)
}

// TestLawFleet has that a fleet is the same in whatever order the reports are read, that
// its JSON fits the schema, and that nothing in it is taken for something else.
func TestLawFleet(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "../docs/fleet.schema.json")
	rapid.Check(t, func(r *rapid.T) {
		var runs []report.Run
		for i := range rapid.IntRange(1, 4).Draw(r, "packages") {
			text := writtenBy(r, format("json"), hostileReport(r))
			name := drawText(r, "package")
			read := report.ReadRuns([]byte(text), name)
			runs = append(runs, read...)
			if i == 3 {
				runs = append(runs, report.ReadRuns([]byte(drawText(r, "why")), name)...)
			}
		}
		for _, format := range []string{"text", "markdown", "json", "html"} {
			text := fleetAs(r, format, runs)
			checkText(r, format, text)
			if other := fleetAs(r, format, rapid.Permutation(runs).Draw(r, "order")); other != text {
				r.Fatalf("%s in another order:\n%s\n%s", format, text, other)
			}
			if format == "json" {
				validate(t, schema, "drawn", text)
			}
		}
	})
}

// TestFleetRule has the rule of a fleet name no resource, and a report name some of many
// packages.
func TestFleetRule(t *testing.T) {
	t.Parallel()
	var packages [3]pkgmerge.Package
	for _, side := range identity.Sides() {
		n := parse(t, fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: %d}\n", side))
		packages[side].Resources = []*pkgmerge.Resource{pkgmerge.NewResource("a.yaml", 0, n)}
	}
	r := reportOf(t, packages, pkgmerge.Options{}, report.Options{})
	runs := report.ReadRuns([]byte(written(t, format("json"), r)), "a")
	if text := fleetAs(t, "text", runs); !strings.Contains(text, "  rule: {kind: Deployment, group: apps, path: spec.replicas, prefer: local}\n") {
		t.Errorf("the rule is another:\n%s", text)
	}
	many := slices.Clone(runs)
	for i := range 30 {
		more := report.ReadRuns([]byte(written(t, format("json"), r)), fmt.Sprint(i))
		many = append(many, more...)
	}
	if text := fleetAs(t, "markdown", many); !strings.Contains(text, "`25`, `26` and 11 more") {
		t.Errorf("the report names others:\n%s", text)
	}
}
