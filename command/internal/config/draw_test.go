package config

import (
	"maps"
	"slices"

	"pgregory.net/rapid"
)

// fields are the fields that a drawn map may have, by name.
type fields map[string]*rapid.Generator[any]

// drawConfig draws a config with one section, as no rule is about two of them.
func drawConfig(t *rapid.T) any {
	sections := fields{
		"metadata": rapid.Just[any](map[string]any{"name": "x"}),
		"strategy": oneOf("upstream", "resource-merge", "fast-forward", "force-delete-replace", "copy-merge", "apply", "server-side-apply"),
		"sources": mapOf(fields{
			"origin":   drawSource("o", fields{"none": booleans()}),
			"upstream": drawSource("u", fields{}),
			"local":    drawSource("l", fields{}),
			"keep":     booleans(),
		}),
		"conflicts":     mapOf(fields{"prefer": preferred(), "rules": listOf(drawConflictRule())}),
		"renames":       listOf(drawRename()),
		"lists":         listOf(drawListRule()),
		"inferListKeys": booleans(),
		"adopt":         listOf(oneOf("name", "namespace", "names", "labels", "annotations", "images")),
		"upstream":      rapid.OneOf(drawUpstream("source"), drawUpstream("command"), drawUpstream("odd")),
		"odd":           booleans(),
	}
	switch rapid.IntRange(0, 3).Draw(t, "apply") {
	case 1:
		return drawApply().Draw(t, "config")
	case 2:
		return drawOutput().Draw(t, "config")
	}
	section := rapid.SampledFrom(slices.Sorted(maps.Keys(sections))).Draw(t, "section")
	return map[string]any{
		"apiVersion": configAPIVersion, "kind": configKind,
		section: sections[section].Draw(t, section),
	}
}

// drawApply draws a config of a strategy that may be about a cluster.
func drawApply() *rapid.Generator[any] {
	managed := oneOf("live", "last-applied", "last-applied", "managed-fields")
	some := fields{
		"strategy": oneOf("kubectl", "apply", "server-side-apply", "resource-merge", "copy-merge"),
		"apply": mapOf(fields{
			"namespace": oneOf(3, "shop", "Shop", ""), "fieldManager": oneOf(nil, "ci", ""), "force": booleans(), "withoutOwners": booleans(), "inventoryPolicy": oneOf("always", "strict", "adopt"),
			"adopt": listOf(oneOf("", "kubectl")),
		}),
		"sources":      mapOf(fields{"origin": mapOf(fields{"from": managed, "none": booleans()}), "keep": booleans()}),
		"conflicts":    mapOf(fields{"prefer": preferred(), "rules": listOf(drawConflictRule())}),
		"renames":      listOf(drawRename()),
		"lists":        listOf(drawListRule()),
		"mergeComment": booleans(),
		"adopt":        listOf(oneOf("namespace", "images")),
		"textValues":   booleans(),
	}
	return rapid.Map(drawFields(some), typed)
}

// drawOutput draws a config of an output.
func drawOutput() *rapid.Generator[any] {
	some := fields{
		"output":       oneOf("files", "merged", "patches", "overlay"),
		"patches":      mapOf(fields{"form": oneOf("diff", "auto", "json"), "from": oneOf("origin", "local", "upstream"), "precondition": booleans()}),
		"overlay":      mapOf(fields{"base": oneOf(3, "../upstream", "")}),
		"strategy":     oneOf("kubectl", "apply", "server-side-apply", "resource-merge", "copy-merge"),
		"sources":      mapOf(fields{"origin": mapOf(fields{"from": oneOf("live", "last-applied"), "none": booleans()}), "keep": booleans()}),
		"conflicts":    mapOf(fields{"prefer": preferred(), "rules": listOf(drawConflictRule())}),
		"mergeComment": booleans(),
	}
	return rapid.Map(drawFields(some), typed)
}

func typed(m any) any {
	m.(map[string]any)["apiVersion"], m.(map[string]any)["kind"] = configAPIVersion, configKind
	return m
}

func drawSource(side string, f fields) *rapid.Generator[any] {
	f["path"], f["dir"] = oneOf(nil, side, ""), oneOf(nil, "/"+side, "")
	return mapOf(f)
}

// drawUpstream draws an upstream, mostly a right one, and sometimes without its source or its command.
func drawUpstream(of string) *rapid.Generator[any] {
	all := fields{
		"source":  oneOf("up@v1", "up@{version}"),
		"command": rapid.Map(rapid.SliceOfN(oneOf(3, "render", "{version}", "--version={version}"), 0, 3), func(l []any) any { return l }),
		"timeout": oneOf("soon", "30s", "1.5h2m"), "version": oneOf("", "v1", "1.10"), "digest": rapid.Just[any]("h1:x"),
	}
	return rapid.Custom(func(t *rapid.T) any {
		out := map[string]any{}
		for _, name := range []string{"command", "digest", "source", "timeout", "version"} {
			likely := name == of || name == "version"
			if likely != rare(t) && (likely || rapid.IntRange(0, 3).Draw(t, name) == 0) {
				out[name] = all[name].Draw(t, name)
			}
		}
		return out
	})
}

func drawConflictRule() *rapid.Generator[any] {
	return rapid.Map(mapOf(fields{
		"group": oneOf(3, "apps", ""), "kind": oneOf(nil, "Deployment"), "name": oneOf(nil, "web-*"),
		"namespace": oneOf(nil, ""), "path": oneOf(nil, "spec.replicas", ""),
	}), with("prefer", "upstream"))
}

func drawListRule() *rapid.Generator[any] {
	rule := mapOf(fields{"group": oneOf(nil, "example.com"), "keys": listOf(oneOf(nil, "name", "name", "metadata.name", "a..b"))})
	return rapid.Map(rapid.Map(rule, with("kind", "DiskSet")), with("path", "spec.disks"))
}

func drawRename() *rapid.Generator[any] {
	name := func(wrong any) *rapid.Generator[any] {
		return oneOf(wrong, "web", "shop/web", "web", "a b", "a/b/c", "/web", "")
	}
	return mapOf(fields{
		"group": oneOf(nil, "apps", ""), "kind": oneOf(nil, "Deployment", "Deployment", ""), "from": name(nil), "to": name(3),
	})
}

// with adds a field, without which a map is wrong, to maps that are not empty.
func with(name, value string) func(any) any {
	return func(m any) any {
		if m, ok := m.(map[string]any); ok && len(m) > 0 {
			m[name] = value
		}
		return m
	}
}

func preferred() *rapid.Generator[any] {
	return oneOf("resource-merge", "upstream", "local", "union", "fail")
}

func booleans() *rapid.Generator[any] { return oneOf("true", true, false) }

// oneOf draws a value, now and then the wrong one.
func oneOf(wrong any, values ...any) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if rare(t) {
			return wrong
		}
		return rapid.SampledFrom(values).Draw(t, "value")
	})
}

// rare is true now and then; rapid draws 0 far more often than 17.
func rare(t *rapid.T) bool { return rapid.IntRange(0, 39).Draw(t, "rare") == 17 }

// mapOf draws a map with some of the fields, now and then a list.
func mapOf(f fields) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if rare(t) {
			return []any{}
		}
		return drawFields(f).Draw(t, "fields")
	})
}

func listOf(element *rapid.Generator[any]) *rapid.Generator[any] {
	return rapid.Map(rapid.SliceOfN(element, 0, 2), func(l []any) any { return l })
}

// drawFields draws a map with some of the fields, now and then with another one.
func drawFields(f fields) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(f)) {
			if rapid.Bool().Draw(t, name) {
				out[name] = f[name].Draw(t, name)
			}
		}
		if rare(t) {
			out["odd"] = "odd"
		}
		return out
	})
}
