package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/config"
)

// common are the flags of all commands that merge (design 17).
type common struct {
	config    string
	strategy  string
	conflicts string
	// adopt is nil if the flag is not given.
	adopt []string
	// otherwise is the preference where neither flag nor config says one.
	otherwise string
	reports   []string
	quiet     bool
}

// add gives a command the flags. conflicts is what it does to conflicts otherwise.
func (c *common) add(command *cobra.Command, conflicts string) {
	c.otherwise = conflicts
	flags := command.Flags()
	c.addConfig(command)
	flags.StringVar(&c.strategy, "strategy", "", "merge by the strategy `NAME`: "+strings.Join(strategies(), ", ")+" (default: the Kptfile's, else resource-merge)")
	flags.StringVar(&c.conflicts, "conflicts", "", "where both sides changed a field, take `WHOSE` value: "+strings.Join(config.Preferences(), ", ")+"; mark has both in the file, fail writes nothing (default: the config's, else "+conflicts+")")
	flags.StringSliceVar(&c.adopt, "adopt", nil, "give what upstream adds `WHAT` local gave to all of its own, with commas: "+strings.Join(config.Adoptions(), ", ")+"; \"\" leaves it as upstream has it (default: the config's, else "+config.Adoptions()[0]+")")
	complete(command, "strategy", oneOf(strategies()))
	complete(command, "adopt", oneOf(config.Adoptions()))
	complete(command, "conflicts", oneOf(config.Preferences()))
	c.addReports(command, "text, on stderr")
}

// addConfig gives a command the flag for a config.
func (c *common) addConfig(command *cobra.Command) {
	command.Flags().StringVar(&c.config, "config", "", "read settings from `FILE`, of the kind ResourceMerge; flags override it")
	complete(command, "config", manifests)
}

// addReports gives a command the flags for reports. usual is what it reports otherwise.
func (c *common) addReports(command *cobra.Command, usual string) {
	flags := command.Flags()
	flags.StringArrayVar(&c.reports, "report", nil, "say what was merged, as `FORMAT[=FILE]`: "+strings.Join(formats(), ", ")+"; may be repeated (default: "+usual+")")
	flags.BoolVar(&c.quiet, "quiet", false, "do not report on stderr")
	complete(command, "report", reportFlag)
}

// settings are what the config and the flags say. choose settles what output there is to be.
func (c *common) settings(choose func(*config.Settings) error) (config.Settings, error) {
	settings, err := readConfig(c.config)
	if err != nil {
		return settings, err
	}
	if err := choose(&settings); err != nil {
		return settings, err
	}
	if c.adopt != nil {
		settings.Adopt = c.adopt
	}
	if err := settings.Override(c.strategy, c.conflicts, c.otherwise); err != nil {
		return settings, usageError{err}
	}
	return settings, nil
}

// readConfig reads the config in a file; "" is none.
func readConfig(file string) (config.Settings, error) {
	if file == "" {
		return config.Settings{}, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return config.Settings{}, fmt.Errorf("read the config: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return config.Settings{}, fmt.Errorf("%s: %w", file, err)
	}
	if len(document.Content) == 0 {
		return config.Settings{}, fmt.Errorf("%s: the file is empty, want the kind ResourceMerge", file)
	}
	settings, err := config.Read(document.Content[0])
	if err != nil {
		return settings, fmt.Errorf("%s: %w", file, err)
	}
	return settings, nil
}
