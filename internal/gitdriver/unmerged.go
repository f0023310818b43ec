package gitdriver

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/internal/marker"
)

// unmerged is a file that the index has in stages: 1 is the base, 2 ours, 3 theirs.
type unmerged struct {
	path       string
	modes, ids [4]string
}

// unmerged lists the files that the index has in stages, by name.
func (g Git) unmerged(ctx context.Context, paths []string) (files []unmerged, err error) {
	out, err := g.output(ctx, append([]string{"ls-files", "--unmerged", "-z", "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		about, name, found := strings.Cut(line, "\t")
		fields := strings.Fields(about)
		if !found || len(fields) != 3 {
			continue
		}
		if len(files) == 0 || files[len(files)-1].path != name {
			files = append(files, unmerged{path: name})
		}
		if stage, err := strconv.Atoi(fields[2]); err == nil && stage > 0 && stage < 4 {
			files[len(files)-1].modes[stage] = fields[0]
			files[len(files)-1].ids[stage] = fields[1]
		}
	}
	return files, nil
}

// stages are the versions of an unmerged file, as they are checked out.
func (g Git) stages(ctx context.Context, u unmerged) (v Versions, err error) {
	v = Versions{Path: u.path, NoBase: u.modes[1] == ""}
	for side, stage := range [3]int{marker.Ours: 2, marker.Base: 1, marker.Theirs: 3} {
		if u.modes[stage] == "" {
			continue
		}
		if v.Texts[side], err = g.output(ctx, "cat-file", "--filters", fmt.Sprintf(":%d:./%s", stage, u.path)); err != nil {
			return v, err
		}
	}
	return v, nil
}

func writeFile(name string, text []byte) error {
	if err := replace(name, text); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
