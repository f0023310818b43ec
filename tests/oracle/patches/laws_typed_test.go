package patches

import (
	"maps"
	"slices"

	"pgregory.net/rapid"
)

// field is a field of a struct: its name, and what it may have.
type field struct {
	name  string
	value *rapid.Generator[any]
}

// drawStruct draws a struct that has some of its fields.
func drawStruct(fixed object, fields ...field) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		out := maps.Clone(fixed)
		if out == nil || rapid.IntRange(0, 60).Draw(t, "fixed") == 60 {
			out = object{}
		}
		for _, f := range fields {
			switch how := rapid.IntRange(0, 40).Draw(t, f.name); {
			case how == 40:
				out[f.name] = nil
			case how < 26:
				out[f.name] = f.value.Draw(t, f.name)
			}
		}
		return out
	})
}

// drawKeyed draws a list whose elements have a key, some twice.
func drawKeyed(key string, keys []any, fields ...field) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		chosen := rapid.SliceOfNDistinct(rapid.IntRange(0, len(keys)-1), 1, len(keys), rapid.ID).Draw(t, key)
		if len(chosen) > 0 && rapid.IntRange(0, 15).Draw(t, "twice") == 15 {
			chosen = slices.Insert(chosen, rapid.IntRange(0, len(chosen)).Draw(t, "where"), chosen[0])
		}
		out := []any{}
		for _, i := range chosen {
			out = append(out, drawStruct(object{key: keys[i]}, fields...).Draw(t, "element"))
		}
		return out
	})
}

func drawOne(values ...any) *rapid.Generator[any] { return rapid.SampledFrom(values) }

func drawTexts() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any { return anys(rapid.SliceOfN(drawText(), 0, 4).Draw(t, "texts")) })
}

func anys(list []any) any { return append([]any{}, list...) }

func drawTextMap() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any { return drawMap(drawText()).Draw(t, "map") })
}

func names() []any { return []any{"a", "b", "c", `q"`, "d/e~f", "y", "1", ""} }

// drawDeployment draws a resource with every kind of list, and maps with any entries.
func drawDeployment() *rapid.Generator[object] {
	metadata := []field{
		{"labels", drawTextMap()}, {"annotations", drawTextMap()}, {"finalizers", drawTexts()},
		{"ownerReferences", drawKeyed("uid", names(), field{"name", drawText()}, field{"controller", drawOne(true, false)})},
	}
	env := drawKeyed("name", names(), field{"value", drawText()},
		field{"valueFrom", drawStruct(nil, field{"configMapKeyRef", drawStruct(nil, field{"key", drawText()}, field{"name", drawText()})}, field{"fieldRef", drawStruct(nil, field{"fieldPath", drawText()})})})
	container := []field{
		{"image", drawText()}, {"args", drawTexts()}, {"env", env},
		{"ports", drawKeyed("containerPort", []any{int64(80), int64(81), int64(443)}, field{"protocol", drawOne("TCP", "UDP")}, field{"name", drawText()})},
		{"volumeMounts", drawKeyed("mountPath", names(), field{"name", drawText()}, field{"readOnly", drawOne(true)})},
		{"resources", drawStruct(nil, field{"limits", drawStruct(nil, field{"cpu", drawOne(int64(1), "1", "500m", 0.5)}, field{"memory", drawOne("1Gi", "1024Mi")})})},
		{"livenessProbe", drawStruct(nil, field{"periodSeconds", drawOne(int64(1), int64(2))}, field{"exec", drawStruct(nil, field{"command", drawTexts()})}, field{"httpGet", drawStruct(nil, field{"port", drawOne(int64(80), "http")})})},
	}
	volumes := drawKeyed("name", names(), field{"emptyDir", drawStruct(nil, field{"sizeLimit", drawOne("1Gi")})},
		field{"configMap", drawStruct(nil, field{"name", drawText()}, field{"defaultMode", drawOne(int64(420))})}, field{"secret", drawStruct(nil, field{"secretName", drawText()})})
	pod := []field{
		{"containers", drawKeyed("name", names(), container...)}, {"initContainers", drawKeyed("name", names(), container[:3]...)}, {"volumes", volumes},
		{"nodeSelector", drawTextMap()}, {"imagePullSecrets", drawKeyed("name", names())},
		{"tolerations", drawKeyed("key", names(), field{"operator", drawOne("Exists", "Equal")})},
		{"hostAliases", drawKeyed("ip", []any{"10.0.0.1", "10.0.0.2"}, field{"hostnames", drawTexts()})},
		{"topologySpreadConstraints", drawKeyed("topologyKey", names(), field{"maxSkew", drawOne(int64(1), int64(2))}, field{"whenUnsatisfiable", drawOne("DoNotSchedule")})},
	}
	spec := []field{
		{"replicas", drawOne(int64(0), int64(1), int64(3))},
		{"strategy", drawStruct(nil, field{"type", drawOne("Recreate", "RollingUpdate")}, field{"rollingUpdate", drawStruct(nil, field{"maxSurge", drawOne(int64(1), "25%")}, field{"maxUnavailable", drawOne(int64(0))})})},
		{"selector", drawStruct(nil, field{"matchLabels", drawTextMap()})},
		{"template", drawStruct(nil, field{"metadata", drawStruct(nil, metadata[:2]...)}, field{"spec", drawStruct(nil, pod...)})},
	}
	return rapid.Custom(func(t *rapid.T) object {
		return object{
			"apiVersion": "apps/v1", "kind": "Deployment",
			"metadata": merged(drawStruct(nil, metadata...).Draw(t, "metadata"), object{"name": "web", "namespace": "shop"}),
			"spec":     drawStruct(nil, spec...).Draw(t, "spec"),
		}
	})
}

func merged(a any, b object) object {
	maps.Copy(a.(object), b)
	return a.(object)
}
