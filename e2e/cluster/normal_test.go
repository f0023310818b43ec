package cluster

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// normal returns an object without the values that the server chooses for each object
// anew: its uid, version, times and addresses. The place's name is PLACE again.
func normal(t *testing.T, p place, object server.Object) server.Object {
	t.Helper()
	if object == nil {
		return nil
	}
	text := manifest(object)
	text = strings.ReplaceAll(text, p.name, "PLACE")
	metadata := object["metadata"].(server.Object)
	if uid, ok := metadata["uid"].(string); ok {
		text = strings.ReplaceAll(text, uid, "UID")
	}
	text = versions.ReplaceAllString(text, "VERSION")
	text = addresses.ReplaceAllString(text, "10.0.*.*")
	text = nodePorts.ReplaceAllString(text, `"nodePort":1`)
	var copied server.Object
	if err := json.Unmarshal([]byte(text), &copied); err != nil {
		t.Fatal(err)
	}
	delete(copied, "status")
	metadata = copied["metadata"].(server.Object)
	for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "managedFields"} {
		delete(metadata, field)
	}
	return copied
}

var (
	versions  = regexp.MustCompile(`(?:resourceVersion\\":\\")\d+`) // in last-applied
	addresses = regexp.MustCompile(`\b10\.0\.\d+\.\d+\b`)           // of Services
	nodePorts = regexp.MustCompile(`"nodePort":3[0-2]\d{3}`)        // of Services
)

// managers are the managedFields of an object without times, in an order of their own.
func managers(t *testing.T, p place, object server.Object) []any {
	t.Helper()
	if object == nil {
		return nil
	}
	text := strings.ReplaceAll(manifest(server.Object{"entries": object["metadata"].(server.Object)["managedFields"]}), p.name, "PLACE")
	var copied struct{ Entries []any }
	if err := json.Unmarshal([]byte(text), &copied); err != nil {
		t.Fatal(err)
	}
	copied.Entries = slices.DeleteFunc(copied.Entries, func(entry any) bool { // the controllers write it some time after the apply
		return object["kind"] == "CustomResourceDefinition" && entry.(server.Object)["subresource"] == "status"
	})
	for _, entry := range copied.Entries {
		delete(entry.(server.Object), "time")
	}
	slices.SortFunc(copied.Entries, func(a, b any) int {
		return cmp.Compare(manifest(a.(server.Object)), manifest(b.(server.Object)))
	})
	return copied.Entries
}
