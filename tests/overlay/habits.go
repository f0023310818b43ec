package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// habits are changes that people make in a whole copy.
func habits() []func([]resource, *rand.Rand) {
	return []func([]resource, *rand.Rand){moved, movedAll, affixed, renamed, labelled, annotated, mirrored, retagged, scaled}
}

// meta is the metadata of a resource.
func meta(r resource) resource { return r["metadata"].(resource) }

// each visits all scalars with their fields, outermost first.
func each(v any, above []string, visit func(above []string, v string) string) any {
	switch v := v.(type) {
	case resource:
		for name, field := range v {
			v[name] = each(field, append(slices.Clone(above), name), visit)
		}
	case []any:
		for i, e := range v {
			v[i] = each(e, above, visit)
		}
	case string:
		return visit(above, v)
	}
	return v
}

// moved puts what has a namespace into another, and what names it stays.
func moved(all []resource, random *rand.Rand) {
	to := fmt.Sprint("ns", random.IntN(2))
	for _, r := range all {
		if meta(r)["namespace"] != nil {
			meta(r)["namespace"] = to
		}
	}
}

// movedAll does it as somebody who follows all that names the namespace.
func movedAll(all []resource, random *rand.Rand) {
	to := fmt.Sprint("ns", random.IntN(2))
	for _, r := range all {
		each(r, nil, func(above []string, v string) string {
			if v == "store" && (above[len(above)-1] == "namespace" || r["kind"] == "Namespace") {
				return to
			}
			return v
		})
	}
}

// affixed gives all names a prefix, a suffix or both, and what refers to them, now and then but
// for one reference.
func affixed(all []resource, random *rand.Rand) {
	prefix, suffix := []string{"", "my-"}[random.IntN(2)], []string{"", "-2"}[random.IntN(2)]
	names := map[string]bool{}
	for _, r := range all {
		if !keepsItsName(r) {
			names[fmt.Sprint(r["kind"], "/", meta(r)["name"])] = true
		}
	}
	forgotten := random.IntN(40)
	for _, r := range all {
		each(r, nil, func(above []string, v string) string {
			kind := refersTo(r, above)
			if kind == "" || kind == "-" || !names[kind+"/"+v] {
				return v
			}
			if forgotten--; forgotten == 0 {
				return v
			}
			return prefix + v + suffix
		})
	}
}

func keepsItsName(r resource) bool {
	return r["kind"] == "CustomResourceDefinition" || r["kind"] == "Namespace"
}

// refersTo is the kind of resource that a field names.
func refersTo(r resource, above []string) string {
	at := strings.Join(above, ".")
	for _, known := range [][2]string{
		{"configMapKeyRef.name", "ConfigMap"}, {"configMapRef.name", "ConfigMap"}, {"configMap.name", "ConfigMap"},
		{"secretKeyRef.name", "Secret"}, {"secretRef.name", "Secret"}, {"secret.secretName", "Secret"}, {"secret.name", "Secret"},
		{"imagePullSecrets.name", "Secret"}, {"tls.secretName", "Secret"}, {"auth-secret", "Secret"}, {"resourceNames", "Secret"},
		{"service.name", "Service"}, {"spec.serviceName", "Service"}, {"serviceAccountName", "ServiceAccount"}, {"subjects.name", "ServiceAccount"},
		{"claimName", "PersistentVolumeClaim"}, {"priorityClassName", "PriorityClass"}, {"scaleTargetRef.name", "Deployment"},
	} {
		if strings.HasSuffix(at, known[0]) {
			return known[1]
		}
	}
	switch at {
	case "metadata.name":
		return fmt.Sprint(r["kind"])
	case "roleRef.name":
		return fmt.Sprint(r["roleRef"].(resource)["kind"])
	}
	return ""
}

// renamed gives one resource another name, and nothing else.
func renamed(all []resource, random *rand.Rand) {
	r := all[random.IntN(len(all))]
	if !keepsItsName(r) {
		meta(r)["name"] = fmt.Sprint(meta(r)["name"], "-new")
	}
}

func labelled(all []resource, random *rand.Rand)  { described("labels", all, random) }
func annotated(all []resource, random *rand.Rand) { described("annotations", all, random) }

// described gives all resources a label or an annotation, with templates or without.
func described(field string, all []resource, random *rand.Rand) {
	everywhere, but := random.IntN(2) == 0, random.IntN(3*len(all))
	for i, r := range all {
		if i == but {
			continue
		}
		add(meta(r), field)
		if spec, _ := r["spec"].(resource); everywhere {
			if job, _ := spec["jobTemplate"].(resource); job != nil {
				describe(job, field)
				spec, _ = job["spec"].(resource)
			}
			if template, _ := spec["template"].(resource); template != nil {
				describe(template, field)
			}
			claims, _ := spec["volumeClaimTemplates"].([]any)
			for _, c := range claims {
				if field == "labels" {
					describe(c.(resource), field)
				}
			}
		}
	}
}

func describe(r resource, field string) {
	if r["metadata"] == nil {
		r["metadata"] = resource{}
	}
	add(meta(r), field)
}

func add(metadata resource, field string) {
	m, _ := metadata[field].(resource)
	if m == nil {
		m = resource{}
		metadata[field] = m
	}
	m["example.com/team"] = "shop"
}

// mirrored takes all images from another registry.
func mirrored(all []resource, random *rand.Rand) {
	image(all, func(text string) string {
		return "mirror.example.com:5000/" + text[strings.LastIndexByte(text, '/')+1:]
	})
}

// retagged takes other tags, also where there was a digest or none.
func retagged(all []resource, random *rand.Rand) {
	image(all, func(text string) string {
		name, _, _ := strings.Cut(text, "@")
		if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, '/') {
			name = name[:at]
		}
		return name + []string{":7", ":7", "@sha256:" + strings.Repeat("7", 64)}[random.IntN(3)]
	})
}

func image(all []resource, change func(string) string) {
	for _, r := range all {
		each(r, nil, func(above []string, v string) string {
			if above[len(above)-1] == "image" {
				return change(v)
			}
			return v
		})
	}
}

// scaled sets counts of replicas.
func scaled(all []resource, random *rand.Rand) {
	for _, r := range all {
		if spec, _ := r["spec"].(resource); spec["replicas"] != nil && random.IntN(2) == 0 {
			spec["replicas"] = 3 + random.IntN(3)
		}
	}
}
