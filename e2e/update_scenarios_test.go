package e2e

// updateScenarios are the updates that TestUpdateCommand does.
func updateScenarios() []scenario {
	return []scenario{
		{name: "a tag", versions: shop(nil, tree{"pkg/web.yaml": cm("web", "a: two", "b: one")})},
	}
}

// cm is a ConfigMap.
func cm(name string, data ...string) string {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\ndata:\n"
	for _, line := range data {
		text += "  " + line + "\n"
	}
	return text
}

// shop are versions of a package, each what the one before is but for some files.
func shop(versions ...tree) (all []tree) {
	last := tree{
		"pkg/Kptfile":    "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\ninfo:\n  description: A shop.\n",
		"pkg/web.yaml":   cm("web", "a: one", "b: one"),
		"pkg/db.yaml":    cm("db", "a: one", "b: one"),
		"pkg/README.md":  "# Shop\n\nOne.\n",
		"pkg/conf/c.txt": "one\n",
		"other/x.yaml":   cm("x", "a: one"),
	}
	for _, version := range versions {
		last = last.changed(version)
		all = append(all, last)
	}
	return all
}
