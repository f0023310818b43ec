package pkgmerge_test

import (
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// The header of a file goes into that file, also where local has the resource below it in another file, whose header is
// local's own (rules/files: headers).
func TestHeaderOfAnotherFile(t *testing.T) {
	w, x, y := configMap("w", "1"), configMap("x", "1"), configMap("y", "1")
	own := "# My own\n\n" + x + "---\n" + y
	for _, tt := range []struct {
		name                  string
		origin, upstream, own string
		want                  string
	}{
		{"added by both", "", "# Licence\n\n" + y, w, "# Licence\n\n" + w},
		{"changed by both", "# One\n#\n# 2019\n\n" + y + "---\n" + w, "# One\n#\n# 2020\n\n" + y + "---\n" + w, "# Our One\n#\n# 2019\n\n" + w, "# Our One\n#\n# 2020\n\n" + w},
	} {
		t.Run(tt.name, func(t *testing.T) {
			origin := tree{"k.yaml": configMap("k", "1")}
			if tt.origin != "" {
				origin["a.yaml"] = tt.origin
			}
			upstream := tree{"k.yaml": origin["k.yaml"], "a.yaml": tt.upstream}
			local := tree{"k.yaml": origin["k.yaml"], "a.yaml": tt.own, "b.yaml": own}
			want := tree{"k.yaml": origin["k.yaml"], "a.yaml": tt.want, "b.yaml": own}
			got, _ := mergedFiles(t, origin, upstream, local, pkgmerge.Options{})
			check(t, got, want)
			got, _ = mergedFiles(t, origin, upstream, got, pkgmerge.Options{})
			check(t, got, want)
		})
	}
}

// A header that local removed stays away in the next merge, too, where upstream gave the file a new name and a new first
// resource (rules/files: headers).
func TestHeaderOfRenamedFile(t *testing.T) {
	k, w, x, y := configMap("k", "1"), configMap("w", "1"), configMap("x", "1"), configMap("y", "1")
	origin := tree{"k.yaml": k, "a.yaml": "# Licence\n\n" + x + "---\n" + y}
	upstream := tree{"k.yaml": k, "b.yaml": "# Licence\n\n" + w + "---\n" + y}
	want := tree{"k.yaml": k, "b.yaml": w + "---\n" + y}
	got, _ := mergedFiles(t, origin, upstream, tree{"k.yaml": k, "a.yaml": y}, pkgmerge.Options{})
	check(t, got, want)
	got, _ = mergedFiles(t, origin, upstream, got, pkgmerge.Options{})
	check(t, got, want)
}
