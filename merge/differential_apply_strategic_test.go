package merge

import (
	"fmt"
	"strings"
	"testing"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	certificates "k8s.io/api/certificates/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	networking "k8s.io/api/networking/v1"
	node "k8s.io/api/node/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestDifferentialApplyStrategic compares ClientApply with what kubectl apply sends for a
// built-in kind, a strategic merge patch, applied to what is live. All three versions are
// arbitrary, and config has nulls. Every difference must be of a class that is intended,
// and every class must occur.
func TestDifferentialApplyStrategic(t *testing.T) {
	types := apiTypes(t)
	column := schema.NewColumn(schema.StrategicMerge, nil)
	tally := map[string]int{}
	eachDrawn(t, 100, hasType(types), func(d drawer, c drawn) {
		for _, side := range c.sides {
			delete(side.(map[string]any), "status")
		}
		d.addNulls(c.sides[upstream], c.sides[origin])
		group, version := identity.Group(c.kind.apiVersion), identity.Version(c.kind.apiVersion)
		explainApply(t, applyCase{c, column.Resource(group, version, c.kind.kind)}, strategicPatched(types), applyClasses(), tally)
	})
	report(t, tally, append(applyClassNames(), refusals()[1]))
}

// applyClassNames are the classes as report knows them.
func applyClassNames() []class {
	var out []class
	for _, c := range applyClasses() {
		out = append(out, class{name: c.name, reason: c.reason})
	}
	return out
}

// apiTypes are the Go types of the kinds of k8s.io/api.
func apiTypes(t *testing.T) *runtime.Scheme {
	t.Helper()
	types := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistration.AddToScheme, apps.AddToScheme, autoscaling.AddToScheme, batch.AddToScheme, certificates.AddToScheme,
		coordination.AddToScheme, core.AddToScheme, discovery.AddToScheme, flowcontrol.AddToScheme, networking.AddToScheme,
		node.AddToScheme, policy.AddToScheme, rbac.AddToScheme, scheduling.AddToScheme, storage.AddToScheme,
	} {
		if err := add(types); err != nil {
			t.Fatal(err)
		}
	}
	return types
}

// strategicPatched is the answer for built-in kinds.
func strategicPatched(types *runtime.Scheme) applyOracle {
	return func(kind kindUnderTest, sides [3][]byte) ([]byte, error) {
		meta, err := strategicpatch.NewPatchMetaFromStruct(typeOf(types, kind))
		if err != nil {
			return nil, err
		}
		patch, err := strategicpatch.CreateThreeWayMergePatch(sides[origin], sides[upstream], sides[local], meta, true)
		if err != nil {
			return nil, err
		}
		return strategicpatch.StrategicMergePatchUsingLookupPatchMeta(sides[local], patch, meta)
	}
}

// applyClasses lists the classes of intended differences.
func applyClasses() []applyClass {
	return []applyClass{
		{"order", "an element that only live has follows its neighbour; there it keeps its index (rules/apply: fields)", func(_ applyCase, d applyDifference) bool {
			return strings.HasSuffix(d.path, "(order)")
		}},
		{"null left", "null removes; there it stays in an element that is added, where the server reads it as absent (rules/apply: fields)", func(_ applyCase, d applyDifference) bool {
			return d.theirs == nil && d.ours == nil
		}},
		{"directive left", "a value that is added is config's; there a directive of the patch stays in it (rules/apply: fields)", func(_ applyCase, d applyDifference) bool {
			return strings.Contains(d.path, ".$") || strings.Contains(fmt.Sprint(d.theirs), "$patch:")
		}},
		{"one key", "elements that the key leaves alike stay live's, and it is a conflict; there the first takes what is another's, or the last has all (rules/apply: lists)", func(_ applyCase, d applyDifference) bool {
			return d.alike
		}},
		{"amount", "what the server stores alike is equal; there 1 for \"1\" is a change (rules/apply: lists)", func(_ applyCase, d applyDifference) bool {
			return d.typ != nil && d.typ.Scalar == schema.Quantity && fmt.Sprint(d.theirs) == fmt.Sprint(d.ours)
		}},
	}
}
