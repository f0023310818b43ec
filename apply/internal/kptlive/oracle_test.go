package kptlive

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"sigs.k8s.io/cli-utils/pkg/apis/actuation"
	"sigs.k8s.io/cli-utils/pkg/apply/cache"
	"sigs.k8s.io/cli-utils/pkg/apply/event"
	"sigs.k8s.io/cli-utils/pkg/apply/filter"
	"sigs.k8s.io/cli-utils/pkg/apply/prune"
	"sigs.k8s.io/cli-utils/pkg/apply/solver"
	"sigs.k8s.io/cli-utils/pkg/apply/task"
	"sigs.k8s.io/cli-utils/pkg/apply/taskrunner"
	"sigs.k8s.io/cli-utils/pkg/common"
	"sigs.k8s.io/cli-utils/pkg/inventory"
	"sigs.k8s.io/cli-utils/pkg/object"
	"sigs.k8s.io/cli-utils/pkg/object/validation"
	"sigs.k8s.io/cli-utils/pkg/testutil"

	"github.com/resource-merge/resource-merge/apply/internal/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/tests/livedraw"
)

// answer is the outcome for a package: the steps, a line each, in their waves, and the
// inventory afterwards; or the reason why nothing is done.
type answer struct {
	Waves  [][]string
	Listed []string
	Wrong  error
}

// oracle runs kpt's library on a server that is not there. Applying is ours, as it
// needs a server: the library's own filters decide on each object, and an object that
// they let pass is applied, or refused. The library does all else.
type oracle struct {
	in        live.Input
	context   *taskrunner.TaskContext
	events    chan event.Event
	pruner    *prune.Pruner
	invInfo   inventory.Info
	invClient *inventory.FakeClient
	apply     []filter.ValidationFilter
	prune     []filter.ValidationFilter
	objects   map[object.ObjMetadata]*unstructured.Unstructured
}

func newOracle(t testing.TB, in live.Input) *oracle {
	o := &oracle{in: in, events: make(chan event.Event, 1000), objects: map[object.ObjMetadata]*unstructured.Unstructured{}}
	o.context = taskrunner.NewTaskContext(o.events, cache.NewResourceCacheMap())
	var kinds []schema.GroupVersionKind
	for _, id := range livedraw.Universe() {
		kinds = append(kinds, schema.GroupVersionKind{Group: id.Group, Version: "v1", Kind: id.Kind})
	}
	var objects []runtime.Object
	for _, l := range in.Live {
		u := parsed(t, l)
		u.SetUID("uid")
		objects = append(objects, u)
	}
	mapper := testutil.NewFakeRESTMapper(kinds...)
	client := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), objects...)
	var before object.ObjMetadataSet
	for _, id := range in.Inventory.Resources {
		before = append(before, metadata(id))
	}
	o.invClient = inventory.NewFakeClient(before)
	o.invInfo = inventory.WrapInventoryInfoObj(inventoryObject(in.Inventory))
	o.pruner = &prune.Pruner{InvClient: o.invClient, Client: client, Mapper: mapper}
	policy := inventory.PolicyMustMatch
	if in.Adopt {
		policy = inventory.PolicyAdoptIfNoInventory
	}
	o.apply = []filter.ValidationFilter{
		filter.InventoryPolicyApplyFilter{Client: client, Mapper: mapper, Inv: o.invInfo, InvPolicy: policy},
		filter.DependencyFilter{TaskContext: o.context, ActuationStrategy: actuation.ActuationStrategyApply},
	}
	o.prune = []filter.ValidationFilter{
		filter.PreventRemoveFilter{},
		filter.InventoryPolicyPruneFilter{Inv: o.invInfo, InvPolicy: policy},
		filter.LocalNamespacesFilter{LocalNamespaces: namespaces(in)},
		filter.DependencyFilter{TaskContext: o.context, ActuationStrategy: actuation.ActuationStrategyDelete},
	}
	return o
}

// namespaces are the namespaces of the config and the inventory.
//
//lint:ignore SA1019 the library asks for this type
func namespaces(in live.Input) sets.String {
	out := sets.NewString(in.Inventory.Object.Namespace)
	for _, c := range in.Config {
		if c.ID.Namespace != "" {
			out.Insert(c.ID.Namespace)
		}
	}
	return out
}

// answer builds the library's tasks, and goes through them.
func (o *oracle) answer(t testing.TB) answer {
	config := object.UnstructuredSet{}
	for _, c := range o.in.Config {
		u := parsed(t, c)
		inventory.AddInventoryIDAnnotation(u, o.invInfo)
		config = append(config, u)
	}
	pruned, err := o.pruner.GetPruneObjs(o.invInfo, config, prune.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range append(append(object.UnstructuredSet{}, config...), pruned...) {
		o.objects[object.UnstructuredToObjMetadata(u)] = u
	}
	collector := &validation.Collector{}
	builder := &solver.TaskQueueBuilder{Pruner: o.pruner, Mapper: o.pruner.Mapper, InvClient: o.invClient, Collector: collector}
	queue := builder.WithApplyObjects(config).WithPruneObjects(pruned).WithInventory(o.invInfo).Build(o.context, solver.Options{Prune: true})
	if err := collector.ToError(); err != nil {
		return answer{Wrong: err}
	}
	var a answer
	for _, group := range queue.ToActionGroups() {
		switch group.Action {
		case event.ApplyAction:
			a.Waves = append(a.Waves, o.applyAll(group.Identifiers))
		case event.PruneAction:
			a.Waves = append(a.Waves, o.pruneAll(t, group))
		}
	}
	for _, id := range o.updated(t) {
		a.Listed = append(a.Listed, shown(id))
	}
	return a
}

// applyAll goes through a wave as the library's ApplyTask does.
func (o *oracle) applyAll(ids object.ObjMetadataSet) (lines []string) {
	manager := o.context.InventoryManager()
	for _, id := range ids {
		var err error
		for _, f := range o.apply {
			if err = f.Filter(o.objects[id]); err != nil {
				break
			}
		}
		switch {
		case err != nil:
			manager.AddSkippedApply(id)
			lines = append(lines, fmt.Sprintf("skip %s: %s", shown(id), reason(err)))
		case o.in.Refused(identity.ID{Group: id.GroupKind.Group, Kind: id.GroupKind.Kind, Namespace: id.Namespace, Name: id.Name}):
			manager.AddFailedApply(id)
			lines = append(lines, fmt.Sprintf("skip %s: refused", shown(id)))
		default:
			manager.AddSuccessfulApply(id, "", 1)
			lines = append(lines, "apply "+shown(id))
			_ = manager.SetSuccessfulReconcile(id)
		}
	}
	return lines
}

// pruneAll has the library prune a wave, and reads its events.
func (o *oracle) pruneAll(t testing.TB, group event.ActionGroup) (lines []string) {
	objects := object.UnstructuredSet{}
	for _, id := range group.Identifiers {
		objects = append(objects, o.objects[id])
	}
	if err := o.pruner.Prune(objects, o.prune, o.context, group.Name, prune.Options{}); err != nil {
		t.Fatal(err)
	}
	for range objects {
		e := (<-o.events).PruneEvent
		var kept *filter.AnnotationPreventedDeletionError
		switch {
		case e.Status == event.PruneSuccessful:
			lines = append(lines, "prune "+shown(e.Identifier))
			_ = o.context.InventoryManager().SetSuccessfulReconcile(e.Identifier)
		case errors.As(e.Error, &kept):
			lines = append(lines, fmt.Sprintf("keep %s: %s", shown(e.Identifier), reason(e.Error)))
		default:
			lines = append(lines, fmt.Sprintf("skip %s: %s", shown(e.Identifier), reason(e.Error)))
		}
	}
	return lines
}

// updated is the inventory that the library writes at last.
func (o *oracle) updated(t testing.TB) object.ObjMetadataSet {
	update := &task.DeleteOrUpdateInvTask{InvClient: o.invClient, InvInfo: o.invInfo, PrevInventory: o.invClient.Objs}
	update.Start(o.context)
	if result := <-o.context.TaskChannel(); result.Err != nil {
		t.Fatal(result.Err)
	}
	return o.invClient.Objs
}

// reason is the reason why an object is skipped, as a plan names it.
func reason(err error) string {
	var (
		policy   *inventory.PolicyPreventedActuationError
		kept     *filter.AnnotationPreventedDeletionError
		used     *filter.NamespaceInUseError
		mismatch *filter.DependencyActuationMismatchError
		stays    *filter.DependencyPreventedActuationError
	)
	switch {
	case errors.As(err, &policy) && policy.Status == inventory.Empty:
		return string(live.Unowned)
	case errors.As(err, &policy):
		return string(live.Foreign)
	case errors.As(err, &kept):
		return fmt.Sprintf("%v %s=%s", live.Annotated, kept.Annotation, kept.Value)
	case errors.As(err, &used):
		return string(live.Inhabited)
	case errors.As(err, &mismatch) && mismatch.Strategy == actuation.ActuationStrategyApply:
		return fmt.Sprintf("%v %s", live.DependencyPruned, shown(mismatch.Relation))
	case errors.As(err, &mismatch):
		return fmt.Sprintf("%v %s", live.DependentApplied, shown(mismatch.Relation))
	case errors.As(err, &stays) && stays.Strategy == actuation.ActuationStrategyApply:
		return fmt.Sprintf("%v %s", live.DependencySkipped, shown(stays.Relation))
	case errors.As(err, &stays):
		return fmt.Sprintf("%v %s", live.DependentStays, shown(stays.Relation))
	}
	return err.Error()
}

func metadata(id identity.ID) object.ObjMetadata {
	return object.ObjMetadata{Namespace: id.Namespace, Name: id.Name, GroupKind: schema.GroupKind{Group: id.Group, Kind: id.Kind}}
}

func shown(id object.ObjMetadata) string {
	return strings.Join([]string{id.GroupKind.Group, id.GroupKind.Kind, id.Namespace, id.Name}, "/")
}

func parsed(t testing.TB, o live.Object) *unstructured.Unstructured {
	fields := map[string]any{}
	text, err := yaml.Marshal(o.Node)
	if err == nil {
		err = yaml.Unmarshal(text, &fields)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: fields}
}

func inventoryObject(v *live.Inventory) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	u.SetNamespace(v.Object.Namespace)
	u.SetName(v.Object.Name)
	u.SetLabels(map[string]string{common.InventoryLabel: v.ID})
	return u
}
