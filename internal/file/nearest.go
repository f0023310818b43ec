package file

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// Nearest returns the question after a message about a path that is not there: whether the user meant the path in which the first
// missing name is a similar one of its directory. It is "" if there is none.
func Nearest(missing string) string {
	above, name, rest := filepath.Dir(missing), filepath.Base(missing), ""
	entries, err := os.ReadDir(above)
	for os.IsNotExist(err) && above != filepath.Dir(above) {
		above, name, rest = filepath.Dir(above), filepath.Base(above), filepath.Join(name, rest)
		entries, err = os.ReadDir(above)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	if slices.Contains(names, name) {
		return "" // it is no directory
	}
	if meant := wording.Nearest(name, names); meant != "" {
		if whole := filepath.Join(above, meant, rest); exists(whole) {
			return "; did you mean " + whole + "?"
		}
	}
	return ""
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
