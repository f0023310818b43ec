package main

import "maps"

// rekeyed finds elements whose key a side changed: one left the side and one came to
// it, and they agree in their name or in all but the key, and only they do
// (rules/lists: re-keyed elements). It returns, for each side, origin's step by the new
// step. An element of the result has the step that its side's has.
func rekeyed(sides [4]any, key []string) [4]map[string]string {
	before := byStep(sides[origin], key)
	var aliases [4]map[string]string
	for _, side := range []int{upstream, local} {
		now := byStep(sides[side], key)
		gone, come := missing(before, now), missing(now, before)
		aliases[side] = map[string]string{}
		for step, e := range come {
			if was := onlyAlike(e, gone, key); was != "" && onlyAlike(gone[was], come, key) == step {
				aliases[side][step] = was
			}
		}
	}
	aliases[result] = map[string]string{}
	maps.Copy(aliases[result], aliases[local])
	maps.Copy(aliases[result], aliases[upstream])
	return aliases
}

func byStep(v any, key []string) map[string]any {
	list, _ := v.([]any)
	out := map[string]any{}
	for _, e := range list {
		out[elementStep(e, key)] = e
	}
	return out
}

// missing are the elements of a that b lacks.
func missing(a, b map[string]any) map[string]any {
	out := map[string]any{}
	for step, e := range a {
		if _, found := b[step]; !found {
			out[step] = e
		}
	}
	return out
}

// onlyAlike is the step of the one candidate that is e under another key, "" if
// there is none or more than one.
func onlyAlike(e any, candidates map[string]any, key []string) string {
	found := ""
	for step, c := range candidates {
		if !alike(e, c, key) {
			continue
		}
		if found != "" {
			return ""
		}
		found = step
	}
	return found
}

func alike(a, b any, key []string) bool {
	x, isMap := a.(map[string]any)
	y, isMapToo := b.(map[string]any)
	if !isMap || !isMapToo {
		return false
	}
	if key[0] != "name" && x["name"] != nil && same(x["name"], y["name"]) {
		return true
	}
	rest, restToo := maps.Clone(x), maps.Clone(y)
	for _, name := range key {
		delete(rest, name)
		delete(restToo, name)
	}
	_, env := rest["value"]
	return len(rest) > 0 && !(env && len(rest) == 1) && same(rest, restToo)
}
