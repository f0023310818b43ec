package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/resource-merge/resource-merge/e2e/porch/fleet"
	"github.com/resource-merge/resource-merge/e2e/porch/wrapper"
)

// TestFailures sends requests that fail, and looks in the error that a user of Porch
// reads for the first conflict, or for the fault of the input.
func TestFailures(t *testing.T) {
	server := startServer(t)
	list := listOfConflicts(t, 1)
	for name, c := range map[string]struct {
		list []byte
		want []string
	}{
		"a conflict is to fail": {list, []string{
			`failed to evaluate function "ghcr.io/resource-merge/resource-merge" with structured results: [error]: nothing merged: 1 conflict fails the run`,
			`[error] apps/v1/Deployment/team/shop-000 spec.template.spec.containers[name="server"].livenessProbe.periodSeconds: `,
			"upstream set it to 15, you to 20",
			"stderr: resource-merge: nothing merged: 1 conflict fails the run",
		}},
		"no YAML": {[]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- a: [\n"), []string{
			"[error]: the input is not YAML: line 4",
		}},
		"no list": {[]byte("text\n"), []string{"[error]: line 1: the input is a scalar, not a ResourceList"}},
		"nothing": {nil, []string{"structured results: [error]: "}},
		"an unknown setting": {bytes.Replace(list, []byte("conflicts: fail"), []byte("conflict: fail"), 1), []string{
			"[error]: ", "conflict",
		}},
		"a directory that is not there": {fleet.Alone(fleet.Files{}, "/none/v1", "/none/v2", ""), []string{
			"[error]: ", "/none/v1",
		}},
	} {
		t.Run(name, func(t *testing.T) { isRefused(t, server, c.list, c.want) })
	}
	want := alone(t, listOf(t, 1, 1, ""))
	if answer, err := server.Evaluate(t.Context(), listOf(t, 1, 1, "")); err != nil || !bytes.Equal(answer.ResourceList, want) {
		t.Errorf("after the failures: %v", err)
	}
	isIdle(t, server)
}

// isRefused fails unless a request ends with an error that has some texts.
func isRefused(t *testing.T, server *wrapper.Server, list []byte, want []string) {
	t.Helper()
	_, err := server.Evaluate(context.Background(), list)
	if status.Code(err) != codes.Internal {
		t.Fatalf("the answer is %v", err)
	}
	for _, text := range want {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error lacks %q:\n%v", text, err)
		}
	}
}

// TestManyConflicts sends a request that fails because of 700 conflicts: the error,
// which is a header of the answer, is still one that Porch can read.
func TestManyConflicts(t *testing.T) {
	server := startServer(t)
	isRefused(t, server, listOfConflicts(t, 700), []string{"nothing merged: 700 conflicts fail the run"})
}

// listOfConflicts is a list in which each component has a conflict that is to fail.
func listOfConflicts(t *testing.T, components int) []byte {
	t.Helper()
	local, err := fleet.Upstream("v1", components)
	if err != nil {
		t.Fatal(err)
	}
	for i := range components {
		name := fmt.Sprintf("shop-%03d/deployment.yaml", i)
		local[name] = strings.Replace(local[name], "periodSeconds: 10", "periodSeconds: 20", 1)
		local[name] = strings.Replace(local[name], "metadata:\n", "metadata:\n  namespace: team\n", 1)
	}
	list, err := fleet.List(local, components, "conflicts: fail\n")
	if err != nil {
		t.Fatal(err)
	}
	return list
}
