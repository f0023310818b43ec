package gitdriver

import (
	"context"
	"io"
	"path/filepath"
	"strings"
)

// setting is an entry of git's configuration.
type setting struct{ name, value string }

// sections are the sections of git's configuration that Install writes.
var sections = [...]string{"merge.resource-merge", "mergetool.resource-merge"}

// settings returns git's configuration of the driver and the mergetool, which run a program. Git
// runs both with a shell. If the program is gone, git merges the lines: a driver that is not found
// would leave ours without a marker.
func settings(program string) []setting {
	program = "'" + strings.ReplaceAll(filepath.ToSlash(program), "'", `'\''`) + "'"
	const gone = ` || { c=$?; [ $c = 126 ] || [ $c = 127 ] || exit $c; ` +
		`echo "resource-merge is not where it was installed from; git merges the lines" >&2; ` +
		`git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B; }`
	return []setting{
		{"merge.resource-merge.name", "Kubernetes resources and other YAML, field by field"},
		{"merge.resource-merge.driver", program + " git driver %O %A %B -L %L -p %P -s %S -x %X -y %Y" + gone},
		{"mergetool.resource-merge.cmd", program + ` git solve "$MERGED"`},
		{"mergetool.resource-merge.trustExitCode", "true"},
	}
}

// Install configures the driver and the mergetool for the repository, or for the user, and prints
// the lines of .gitattributes that select the files for the driver. program is the command that git
// runs; an absolute path is found from a git with another PATH, too.
func (g Git) Install(ctx context.Context, program string, global bool, stdout io.Writer) error {
	for _, s := range settings(program) {
		if _, err := g.output(ctx, "config", scope(global), s.name, s.value); err != nil {
			return err
		}
	}
	_, err := io.WriteString(stdout, `# The merge driver resource-merge is installed. It merges the files that .gitattributes
# gives it; these lines are to be committed:
`+attributes)
	return err
}

// Uninstall removes the settings of Install.
func (g Git) Uninstall(ctx context.Context, global bool, stdout io.Writer) error {
	removed := false
	for _, section := range sections {
		if _, code, err := g.run(ctx, "config", scope(global), "--get-regexp", "^"+section+"\\."); code == 1 {
			continue // git has no such section
		} else if err != nil {
			return err
		}
		if _, err := g.output(ctx, "config", scope(global), "--remove-section", section); err != nil {
			return err
		}
		removed = true
	}
	text := "# The merge driver was not installed here.\n"
	if removed {
		text = "# The merge driver is removed. Git merges the lines of files that .gitattributes still gives it.\n"
	}
	_, err := io.WriteString(stdout, text)
	return err
}

// scope returns git's option for the configuration of the user or the repository.
func scope(global bool) string {
	if global {
		return "--global"
	}
	return "--local"
}
