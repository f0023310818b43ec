package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// place is a namespace in which a situation was made. Its name is also a part of the names
// of cluster-scoped objects.
type place struct {
	name string
	path string // of the object
	// version and uid are the object's after the steps, "" if it is gone.
	version, uid string
}

// text is a text of a situation here: PLACE is the place's name, and LIVE-VERSION and
// LIVE-UID are of the object as the steps left it.
func (p place) text(text string) string {
	return strings.NewReplacer("PLACE", p.name, "LIVE-VERSION", p.version, "LIVE-UID", p.uid).Replace(text)
}

// object is an object of a situation here.
func (p place) object(t *testing.T, of server.Object) server.Object {
	t.Helper()
	var here server.Object
	if err := json.Unmarshal([]byte(p.text(manifest(of))), &here); err != nil {
		t.Fatal(err)
	}
	return here
}

// replay makes a situation in a namespace of its own. A step may be refused: nothing
// drifted then, here as in each other place.
func replay(t *testing.T, s situation, name string) place {
	t.Helper()
	kind, err := cluster.Kind(t.Context(), s.apiVersion, s.kind)
	if err != nil {
		t.Fatal(err)
	}
	p := place{name: name, path: kind.Path(name, in(name, s.object))}
	if err := cluster.Namespace(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	for i, step := range s.steps {
		answer := p.kubectl(t, step)
		if i == 0 && answer.Refused() {
			t.Fatalf("the first config was refused: %s\n%s", answer.Stderr, step.stdin)
		}
	}
	if object := p.held(t); object != nil {
		metadata := object["metadata"].(server.Object)
		p.version, p.uid = metadata["resourceVersion"].(string), metadata["uid"].(string)
	}
	return p
}

// kubectl runs kubectl in the place's namespace.
func (p place) kubectl(t *testing.T, s step) server.Answer {
	t.Helper()
	args := []string{"-n", p.name}
	for _, arg := range s.args {
		args = append(args, p.text(arg))
	}
	answer := cluster.Kubectl(t.Context(), p.text(s.stdin), args...)
	p.settle(t)
	return answer
}

// settle waits until the server's own controllers have accepted the names of a
// CustomResourceDefinition. They write its status and an entry of managedFields some time
// after the object was written.
func (p place) settle(t *testing.T) {
	t.Helper()
	if !strings.Contains(p.path, "/customresourcedefinitions/") {
		return
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		object := p.held(t)
		if object == nil || accepted(object) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: its names are not accepted after a minute: %v", p.path, object["status"])
		}
	}
}

// accepted reports whether a CustomResourceDefinition is established under its names.
func accepted(object server.Object) bool {
	status, _ := object["status"].(server.Object)
	if !cmp.Equal(status["acceptedNames"], object["spec"].(server.Object)["names"]) {
		return false
	}
	conditions, _ := status["conditions"].([]any)
	return slices.ContainsFunc(conditions, func(condition any) bool {
		c := condition.(server.Object)
		return c["type"] == "Established" && c["status"] == "True"
	})
}

// held returns the server's object, nil if it is gone.
func (p place) held(t *testing.T) server.Object {
	t.Helper()
	object, err := cluster.Get(t.Context(), p.path)
	var refusal *server.Refusal
	if errors.As(err, &refusal) && refusal.Reason == "NotFound" {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// put replaces the server's object, or creates it if it is gone.
func (p place) put(t *testing.T, object server.Object) error {
	t.Helper()
	held := p.held(t)
	if held == nil {
		_, err := cluster.Post(t.Context(), path.Dir(p.path), object)
		return err
	}
	_, err := cluster.Put(t.Context(), p.path, puttable(object, held))
	return err
}

// recorded returns the documents of the object, and of the definition of the custom resource where it is one, as kubectl
// writes them or as the server answers.
func (p place) recorded(t *testing.T, s situation) []string {
	t.Helper()
	type target struct{ name, path string }
	targets := []target{{s.kind + "/" + s.object, p.path}}
	if s.kind == "Widget" {
		targets = append(targets, target{"CustomResourceDefinition/" + widgets, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + widgets})
	}
	var texts []string
	for _, target := range targets {
		if !s.byKubectl {
			at := p
			at.path = target.path
			if object := at.held(t); object != nil {
				texts = append(texts, strings.TrimSpace(document(t, object)))
			}
			continue
		}
		answer := p.kubectl(t, step{args: []string{"get", target.name, "-o", "yaml", "--show-managed-fields", "--ignore-not-found"}})
		if answer.Refused() {
			t.Fatal(answer.Stderr)
		}
		if answer.Stdout != "" {
			texts = append(texts, strings.TrimSpace(answer.Stdout))
		}
	}
	return texts
}

// replayTwice makes a situation in two places, in which the server must hold the same. The second one gets a copy of the
// object, which is quicker than the steps, or the steps if the server holds something else then.
func replayTwice(t *testing.T, s situation, test string, i int) (here, there place) {
	t.Helper()
	here = replay(t, s, fmt.Sprintf("%s-%d-a", test, i))
	there, copied := here.copied(t, s, fmt.Sprintf("%s-%d-b", test, i))
	if copied && differenceOf(t, here, there) == "" {
		return here, there
	}
	there = replay(t, s, fmt.Sprintf("%s-%d-c", test, i))
	if diff := differenceOf(t, here, there); diff != "" {
		t.Fatalf("the same steps lead to different objects:\n%s", diff)
	}
	return here, there
}

// differenceOf compares the objects of two places, with their managedFields.
func differenceOf(t *testing.T, here, there place) string {
	t.Helper()
	left, right := here.held(t), there.held(t)
	return cmp.Diff(normal(t, here, left), normal(t, there, right)) + cmp.Diff(managers(t, here, left), managers(t, there, right))
}

// copied makes a namespace with a copy of the object of the place, which has the same managedFields. It is not ok if the
// server refuses the copy, such as a second Service with the same address.
func (p place) copied(t *testing.T, s situation, name string) (there place, ok bool) {
	t.Helper()
	object := p.held(t)
	if object == nil || s.kind == "CustomResourceDefinition" { // whose names the server accepts some time later
		return place{}, false
	}
	text := strings.ReplaceAll(manifest(object), p.name, name)
	object = nil
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	there = place{name: name, path: strings.ReplaceAll(p.path, p.name, name)}
	if err := cluster.Namespace(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	metadata := object["metadata"].(server.Object)
	managedFields := metadata["managedFields"]
	for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"} {
		delete(metadata, field)
	}
	withoutChosen(object)
	made, err := cluster.Post(t.Context(), path.Dir(there.path), object)
	if err != nil {
		return there, false
	}
	made["metadata"].(server.Object)["managedFields"] = managedFields
	if made, err = cluster.Put(t.Context(), there.path, made); err != nil {
		return there, false
	}
	metadata = made["metadata"].(server.Object)
	there.version, there.uid = metadata["resourceVersion"].(string), metadata["uid"].(string)
	return there, true
}

// withoutChosen removes the fields that the server chooses for each Service and Job anew.
func withoutChosen(object server.Object) {
	spec, _ := object["spec"].(server.Object)
	switch object["kind"] {
	case "Service":
		if spec["clusterIP"] != "None" {
			delete(spec, "clusterIP")
			delete(spec, "clusterIPs")
		}
		delete(spec, "healthCheckNodePort")
		ports, _ := spec["ports"].([]any)
		for _, port := range ports {
			delete(port.(server.Object), "nodePort")
		}
	case "Job":
		delete(spec, "selector")
		labels, _ := spec["template"].(server.Object)["metadata"].(server.Object)["labels"].(server.Object)
		for _, label := range []string{"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"} {
			delete(labels, label)
		}
	}
}
