package gitdriver

import (
	"context"
	"fmt"
	"io"
)

// setting is a line of git's configuration.
type setting struct{ name, value string }

// settings are what git is told of the driver and the mergetool.
func settings() []setting {
	return []setting{
		{"merge.resource-merge.name", "Kubernetes resources and other YAML, field by field"},
		{"merge.resource-merge.driver", "resource-merge git driver %O %A %B -L %L -p %P -s %S -x %X -y %Y"},
		{"mergetool.resource-merge.cmd", `resource-merge git solve "$MERGED"`},
		{"mergetool.resource-merge.trustExitCode", "true"},
	}
}

// Install writes the driver and the mergetool into the configuration of the repository,
// or of the user, and prints the lines that say in .gitattributes which files
// the driver is for.
func (g Git) Install(ctx context.Context, global bool, stdout io.Writer) error {
	scope := "--local"
	if global {
		scope = "--global"
	}
	for _, s := range settings() {
		if _, err := g.output(ctx, "config", scope, s.name, s.value); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(stdout, `# The merge driver resource-merge is installed. It merges the files that .gitattributes
# gives it; these lines are to be committed:
*.yaml merge=resource-merge
*.yml merge=resource-merge
Kptfile merge=resource-merge
`)
	return err
}
