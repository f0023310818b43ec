package live_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// objects reads documents of YAML.
func objects(t testing.TB, text string) (out []live.Object) {
	t.Helper()
	decoder := yaml.NewDecoder(bytes.NewBufferString(text))
	for {
		var doc yaml.Node
		switch err := decoder.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatal(err)
		}
		node := doc.Content[0]
		out = append(out, live.Object{ID: identity.ReadMeta(node).PlainID(), Node: node})
	}
}

func text(t testing.TB, n *yaml.Node) string {
	t.Helper()
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(n); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// cluster is a server that holds the objects that it is given.
type cluster struct{ objects []live.Object }

func (c *cluster) find(id identity.ID) int {
	for i, o := range c.objects {
		if o.ID == id {
			return i
		}
	}
	return -1
}

func (c *cluster) put(o live.Object) {
	if at := c.find(o.ID); at >= 0 {
		c.objects[at] = o
		return
	}
	c.objects = append(c.objects, o)
}

func (c *cluster) remove(id identity.ID) {
	if at := c.find(id); at >= 0 {
		c.objects = append(c.objects[:at:at], c.objects[at+1:]...)
	}
}

// annotate sets an annotation of an object; "" removes it.
func (c *cluster) annotate(id identity.ID, name, value string) {
	at := c.find(id)
	node := c.objects[at].Node
	metadata := yamlnode.Field(node, "metadata")
	annotations := yamlnode.Annotations(node)
	if annotations == nil {
		annotations = yamlnode.EmptyMap()
	}
	annotations = yamlnode.Without(annotations, func(field string) bool { return field == name })
	if value != "" {
		annotations = yamlnode.Put(annotations, nil, name, yamlnode.String(value))
	}
	c.objects[at].Node = yamlnode.Put(node, nil, "metadata", yamlnode.Put(metadata, nil, "annotations", annotations))
}

// carryOut carries out the steps of a plan.
func (c *cluster) carryOut(plan *live.Plan, config []live.Object) {
	at := map[identity.ID]live.Object{}
	for _, o := range config {
		at[o.ID] = o
	}
	for _, s := range plan.Steps {
		switch s.Action {
		case live.Apply:
			c.put(at[s.ID])
			if plan.Owner != "" {
				c.annotate(s.ID, live.OwningInventory, plan.Owner)
			}
		case live.Prune:
			c.remove(s.ID)
		case live.Keep:
			c.annotate(s.ID, live.OwningInventory, "")
		}
	}
	if node := plan.Inventory(); node != nil {
		c.put(live.Object{ID: identity.ReadMeta(node).PlainID(), Node: node})
	}
}
