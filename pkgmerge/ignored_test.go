package pkgmerge_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// drawIgnoring draws the files of three versions, each with a .krmignore or none.
func drawIgnoring(r *rand.Rand) (all [3][]pkgmerge.File) {
	rules := []string{"dev.yaml", "gen/", "*.txt", "gen/*.yaml", "!keep.txt", "/sub", "a.yaml", ".*", "b*"}
	for side := range all {
		for _, name := range []string{"a.yaml", "b.yaml", "dev.yaml", "gen/g.yaml", "gen/h.txt", "keep.txt", "n.txt", "sub/Kptfile", "sub/s.yaml", "gen/Kptfile"} {
			base := strings.NewReplacer("/", "-", ".", "-").Replace(strings.ToLower(name))
			text := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n  a: %q\n", base, fmt.Sprint(r.IntN(3)))
			switch {
			case r.IntN(4) == 0:
				continue
			case strings.HasSuffix(name, "Kptfile"):
				text = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: x\n"
			case strings.HasSuffix(name, ".txt"):
				text = fmt.Sprintf("%d\n", r.IntN(3))
			}
			all[side] = append(all[side], pkgmerge.File{Name: name, Mode: 0o644, Data: []byte(text)})
		}
		var lines []string
		for range r.IntN(4) {
			lines = append(lines, rules[r.IntN(len(rules))])
		}
		if len(lines) > 0 {
			all[side] = append(all[side], pkgmerge.File{Name: ".krmignore", Mode: 0o644, Data: []byte(strings.Join(lines, "\n") + "\n")})
		}
		all[side] = append(all[side], pkgmerge.File{Name: "z.yaml", Mode: 0o644, Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: z\n")})
	}
	return all
}

// Ignoring is no deletion: a file of local's that upstream ignores stays, byte for byte, by every strategy, and is told if
// origin has it. What local ignores, or removed and upstream ignores, does not come.
func TestIgnoredFilesStay(t *testing.T) {
	stayed, told := 0, 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 54))
		all := drawIgnoring(r)
		var packages [3]pkgmerge.Package
		for side, files := range all {
			rest, err := file.WithoutIgnored(files, files)
			if err == nil {
				packages[side], err = pkgmerge.NewPackage(rest)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		strategy := pkgmerge.Strategies()[r.IntN(4)]
		result, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{Strategy: strategy})
		if err != nil && (strategy.Name() == "fast-forward" || strings.Contains(err.Error(), "was added both upstream and locally")) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		merged, err := result.Files()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		find := func(files []pkgmerge.File, name string) *pkgmerge.File {
			if at := slices.IndexFunc(files, func(f pkgmerge.File) bool { return f.Name == name }); at >= 0 {
				return &files[at]
			}
			return nil
		}
		local, origin := packages[identity.Local], packages[identity.Origin]
		ignores := func(side identity.Side, name string) bool {
			return packages[side].Ignored != nil && packages[side].Ignored(name)
		}
		for _, f := range local.Files {
			if !ignores(identity.Upstream, f.Name) {
				continue
			}
			stayed++
			if m := find(merged, f.Name); m == nil || !bytes.Equal(m.Data, f.Data) {
				t.Errorf("seed %d, %s: %s does not stay", seed, strategy.Name(), f.Name)
			}
			if find(origin.Files, f.Name) != nil && !ignores(identity.Local, f.Name) {
				told++
				if !slices.ContainsFunc(result.Notices, func(n pkgmerge.Notice) bool { return strings.Contains(n.Text, ".krmignore lists") }) {
					t.Errorf("seed %d, %s: nothing tells that %s stays: %v", seed, strategy.Name(), f.Name, result.Notices)
				}
			}
		}
		for _, m := range merged {
			if (ignores(identity.Local, m.Name) || ignores(identity.Upstream, m.Name)) && find(local.Files, m.Name) == nil {
				t.Errorf("seed %d, %s: %s came", seed, strategy.Name(), m.Name)
			}
		}
	}
	if stayed < 100 || told < 50 {
		t.Errorf("%d files stayed, and %d were told; the test draws too few", stayed, told)
	}
}
