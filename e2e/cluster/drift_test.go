package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/resource-merge/resource-merge/e2e/cluster/draw"
	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// drift draws a way in which somebody makes an object, that was one, another.
func drift(random *rand.Rand, before, after server.Object) step {
	ways := []func(*rand.Rand, server.Object, server.Object) step{edit, edit, patch, otherManager, otherManager, label, annotate, replace}
	switch after["kind"] {
	case "Deployment", "StatefulSet":
		ways = append(ways, scale, setImage, setEnv)
	case "DaemonSet":
		ways = append(ways, setImage, setEnv)
	}
	return ways[random.IntN(len(ways))](random, before, after)
}

// edit is the step of kubectl edit: a merge patch with the changes.
func edit(_ *rand.Rand, before, after server.Object) step {
	patch, err := jsonpatch.CreateMergePatch([]byte(manifest(before)), []byte(manifest(after)))
	if err != nil {
		panic(err) // both are JSON
	}
	return step{args: []string{"patch", target(after), "--type=merge", "--field-manager=kubectl-edit", "-p", string(patch)}}
}

// patch sends a part of the object, strategic where the kind allows it.
func patch(random *rand.Rand, _, after server.Object) step {
	return step{args: []string{"patch", target(after), "--type=" + patchType(after), "-p", manifest(part(random, after))}}
}

func patchType(object server.Object) string {
	if object["kind"] == "Widget" {
		return "merge"
	}
	return "strategic"
}

// otherManager has another manager apply a part of the object, by force.
func otherManager(random *rand.Rand, _, after server.Object) step {
	manager := []string{"ops", "autoscaler"}[random.IntN(2)]
	return step{
		args:  []string{"apply", "--server-side", "--force-conflicts", "--field-manager=" + manager, "-f", "-"},
		stdin: manifest(part(random, after)),
	}
}

// part is some fields of an object, and the names by which they are found.
func part(random *rand.Rand, object server.Object) server.Object {
	keys := map[string]bool{}
	for _, key := range []string{"apiVersion", "kind", "name", "containerPort", "port", "protocol", "key", "ip", "topologyKey", "mountPath"} {
		keys[key] = true
	}
	pruned := draw.Prune(random, object, keys)
	return pruned
}

func label(random *rand.Rand, _, after server.Object) step {
	change := []string{"tier=live", "tier-", "app=live", "live=yes"}[random.IntN(4)]
	return step{args: []string{"label", "--overwrite", target(after), change}}
}

func annotate(random *rand.Rand, _, after server.Object) step {
	change := []string{"example.com/note=live", "example.com/note-", "example.com/live=yes"}[random.IntN(3)]
	return step{args: []string{"annotate", "--overwrite", target(after), change}}
}

// replace sends the whole object, without what kubectl apply wrote into it.
func replace(_ *rand.Rand, _, after server.Object) step {
	return step{args: []string{"replace", "-f", "-"}, stdin: manifest(after)}
}

func scale(random *rand.Rand, _, after server.Object) step {
	return step{args: []string{"scale", target(after), fmt.Sprintf("--replicas=%d", 1+random.IntN(5))}}
}

func setImage(random *rand.Rand, _, after server.Object) step {
	return step{args: []string{"set", "image", target(after), "*=live:" + fmt.Sprint(random.IntN(2))}}
}

func setEnv(random *rand.Rand, _, after server.Object) step {
	change := [][]string{{"LIVE=1"}, {"A=9"}, {"A-"}, {"A=1", "LIVE=2"}}[random.IntN(4)]
	return step{args: slices.Concat([]string{"set", "env", target(after)}, change)}
}

// target is an object's name in the arguments of kubectl.
func target(object server.Object) string {
	return object["kind"].(string) + "/" + object["metadata"].(server.Object)["name"].(string)
}
