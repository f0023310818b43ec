package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// settled is a value as the laws compare it: lists with keys in one order, quantities and
// times as text, and without bookkeeping.
func settled(v any, at string) any {
	switch v := v.(type) {
	case time.Time:
		return v.Format(time.DateOnly)
	case string:
		return strings.TrimSuffix(v, "T00:00:00Z") // kustomize writes a date so that no patch changed
	case int:
		if at == "limits" || at == "requests" || at == "cpu" {
			return fmt.Sprint(v)
		}
	case map[string]any:
		for name, field := range v {
			inner := name
			if at == "limits" || at == "requests" {
				inner = at
			}
			v[name] = settled(field, inner)
			if m, isMap := v[name].(map[string]any); name == "annotations" && isMap && len(m) == 0 ||
				strings.HasPrefix(name, "internal.") || name == "kustomize.config.k8s.io/id" {
				delete(v, name)
			}
		}
	case []any:
		for i, e := range v {
			v[i] = settled(e, at)
		}
		if hasKeys(at) {
			slices.SortStableFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return v
}

// hasKeys reports whether a field is a list with keys.
func hasKeys(field string) bool {
	return slices.Contains([]string{
		"containers", "initContainers", "ephemeralContainers", "env", "ports", "volumes", "volumeMounts", "volumeDevices",
		"imagePullSecrets", "secrets", "hostAliases", "topologySpreadConstraints", "webhooks", "conditions", "ownerReferences", "finalizers", "slots",
	}, field)
}
