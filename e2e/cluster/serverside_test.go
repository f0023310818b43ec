package cluster

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// TestServerSideApply: the function makes of a recorded object what kubectl apply
// --server-side makes of it (rules/server-side-apply: managers), with the same
// managedFields. Where kubectl meets conflicts, the function says the same ones, and with
// force makes what kubectl makes with --force-conflicts.
func TestServerSideApply(t *testing.T) {
	drawn := drawn(t, created)
	counted := newTally(t, len(drawn), append(patches(), "refused by both", "conflicts")...)
	for i, s := range drawn {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c := newComparison(t, s, "serverside", i)
			settings := "strategy: server-side-apply\napply:\n  namespace: " + c.there.name + "\n  fieldManager: " + s.manager + "\n"
			if c.applyServerSide(t, settings, []string{"apply", "--server-side", "--field-manager=" + s.manager}) {
				counted.add("conflicts")
			}
			c.held(t)
			c.report(t, counted)
		})
	}
}

// applyServerSide applies the config, by force where there are conflicts, and compares
// these and the managers.
func (c *comparison) applyServerSide(t *testing.T, settings string, by []string) (conflicting bool) {
	t.Helper()
	c.apply(t, settings, by...)
	met := conflicts(t, c.answer.Stderr)
	c.differ("conflicts", cmp.Diff(met, claims(c.ours)))
	if met != nil {
		c.apply(t, settings+"  force: true\n", append(by, "--force-conflicts")...)
	}
	if !c.answer.Refused() && c.ours.of("refused") == nil {
		here, there := managers(t, c.here, c.here.held(t)), managers(t, c.there, c.ours.object)
		diff := cmp.Diff(here, there)
		if diff != "" && cmp.Equal(withoutFirstContainers(here), withoutFirstContainers(there)) {
			c.class, diff = firstContainers, ""
		}
		c.differ("managers", diff)
	}
	return met != nil
}

// firstContainers is the class of objects without managedFields where before-first-apply
// also owns the containers that an empty object of the kind lacks: schemas do not tell them
// from the containers that an empty object has.
const firstContainers = "containers of before-first-apply"

// withoutFirstContainers removes the containers of before-first-apply from entries.
func withoutFirstContainers(entries []any) []any {
	out := make([]any, len(entries))
	for i, entry := range entries {
		out[i] = entry
		if entry := entry.(server.Object); entry["manager"] == "before-first-apply" {
			entry = maps.Clone(entry)
			entry["fieldsV1"] = withoutMembers(entry["fieldsV1"].(server.Object))
			out[i] = entry
		}
	}
	return out
}

// withoutMembers removes the containers themselves from fields in the form FieldsV1.
func withoutMembers(fields server.Object) server.Object {
	out := server.Object{}
	for name, below := range fields {
		if below := below.(server.Object); name != "." {
			out[name] = withoutMembers(below)
		}
	}
	return out
}

// created returns the first step, and its manager: the manager applied the object, or
// somebody applied or created it by other means, and the manager takes it over.
func created(random *rand.Rand, object server.Object) (step, string) {
	manager := []string{"kubectl", "ci"}[random.IntN(2)]
	args := [][]string{
		{"apply", "--server-side", "--field-manager=" + manager, "-f", "-"},
		{"apply", "--server-side", "--field-manager=" + manager, "-f", "-"},
		{"apply", "--server-side", "--field-manager=" + manager, "-f", "-"},
		{"apply", "-f", "-"},
		{"create", "-f", "-"},
	}[random.IntN(5)]
	return step{args: args, stdin: manifest(object)}, manager
}

// The words in which kubectl tells of conflicts: one in a line, or a manager's in a list.
var (
	oneConflict  = regexp.MustCompile(`Apply failed with 1 conflict: conflict with (.+): (\.\S.*)$`)
	conflictsOf  = regexp.MustCompile(`conflicts? with ("[^\n]*):$`)
	conflictPath = regexp.MustCompile(`^- (\..+)$`)
	quotedName   = regexp.MustCompile(`\["([^"]*)"\]`) // which kubectl does not quote
)

// conflicts are the managers and paths of the conflicts that kubectl met, sorted.
func conflicts(t *testing.T, stderr string) []string {
	t.Helper()
	if !strings.Contains(stderr, "Apply failed with") {
		return nil
	}
	var found []string
	var manager string
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\n")
		if m := oneConflict.FindStringSubmatch(line); m != nil {
			found = append(found, m[1]+": "+m[2])
		} else if m := conflictsOf.FindStringSubmatch(line); m != nil {
			manager = m[1]
		} else if m := conflictPath.FindStringSubmatch(line); m != nil {
			found = append(found, manager+": "+m[1])
		}
	}
	if found == nil {
		t.Fatalf("kubectl's conflicts are told in other words: %s", stderr)
	}
	slices.Sort(found)
	return found
}

// claims are the managers and paths of the fields that others own, sorted.
func claims(r result) []string {
	var found []string
	for _, f := range r.of("owned") {
		found = append(found, f.Tags["managers"]+": ."+quotedName.ReplaceAllString(f.Field.Path, ".$1"))
	}
	slices.Sort(found)
	return found
}
