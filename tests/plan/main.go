// Command plan plans a package against a cluster, and writes its steps as lines. The
// tests compare them with what the real kpt does.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/live"
)

// question is what stdin has, as JSON: documents of YAML, and the policy.
type question struct {
	Package, Live, Policy string
}

// answer is what stdout gets, as JSON: the steps in their waves, and the inventory
// afterwards; or why there is no plan.
type answer struct {
	Waves     [][]string `json:"waves"`
	Inventory []string   `json:"inventory"`
	Error     string     `json:"error,omitempty"`
}

func main() {
	var q question
	err := json.NewDecoder(os.Stdin).Decode(&q)
	if err == nil {
		var a answer
		if a, err = plan(q); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(a)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func plan(q question) (answer, error) {
	items, err := objects(q.Package)
	if err != nil {
		return answer{}, err
	}
	in := live.Input{}
	if in.Live, err = objects(q.Live); err != nil {
		return answer{}, err
	}
	if q.Policy == "adopt" {
		in.Policy = live.Adopt
	}
	for _, item := range items {
		if !live.IsInventory(item) && item.ID.Kind != "Kptfile" {
			in.Config = append(in.Config, item)
		}
	}
	own, err := live.Own(items)
	if err == nil {
		in.Inventory, err = live.Choose(own, in.Live)
	}
	var p *live.Plan
	if err == nil {
		p, err = live.New(in)
	}
	if err != nil {
		return answer{Error: err.Error()}, nil
	}
	return shown(p), nil
}

// objects reads documents, of which a List stands for its items.
func objects(text string) (out []live.Object, err error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var doc yaml.Node
		switch err := decoder.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		}
		nodes := doc.Content
		if yamlnode.Text(yamlnode.Field(nodes[0], "kind")) == "List" {
			nodes = yamlnode.Elements(yamlnode.Field(nodes[0], "items"))
		}
		for _, n := range nodes {
			out = append(out, live.Object{ID: identity.ReadMeta(n).PlainID(), Node: n})
		}
	}
}

func shown(p *live.Plan) (a answer) {
	for _, s := range p.Steps {
		if s.Wave > len(a.Waves) {
			a.Waves = append(a.Waves, nil)
		}
		a.Waves[s.Wave-1] = append(a.Waves[s.Wave-1], s.Action.String()+" "+name(s.ID))
	}
	for _, id := range p.Resources {
		a.Inventory = append(a.Inventory, name(id))
	}
	return a
}

func name(id identity.ID) string {
	return strings.Join([]string{id.Group, id.Kind, id.Namespace, id.Name}, "/")
}
