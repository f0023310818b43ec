package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
	"golang.org/x/term"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// usage and lists are hints for users who ask for help or mistype a command.
const (
	usage = "usage: resource-merge COMMAND, or resource-merge [--help | --doc | --version] [FILE]"
	lists = "resource-merge help lists the commands"
)

// columns is the width of help.
const columns = 100

// helpCommand is resource-merge help.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND]",
		Short:             "Describe a command",
		ValidArgsFunction: completeCommand,
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err == nil && len(rest) > 0 && found != c.Root() {
				return noArguments(found, rest)
			}
			if err != nil || len(rest) > 0 {
				return usageError{unknownCommand(strings.Join(args, " "))}
			}
			found.InitDefaultHelpFlag()
			found.InitDefaultVersionFlag()
			return found.Help()
		},
	}
}

// explainShells makes the command completion refuse an unknown shell, with a list of the known ones.
func explainShells(root *cobra.Command) {
	c, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	var shells []string
	for _, shell := range c.Commands() {
		shells = append(shells, shell.Name())
		shell.Args = noArguments
	}
	c.Use, c.RunE = "completion SHELL", func(c *cobra.Command, _ []string) error { return c.Help() }
	c.DisableFlagsInUseLine = true
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return misuse("shell %q is not known, %s", args[0], wording.Allowed(args[0], shells))
		}
		return nil
	}
}

// forgotten proposes the command that has a flag, where the command was left out.
func forgotten(args []string) string {
	for _, f := range [...]struct{ flag, command string }{{"--upstream", "merge"}, {"--local", "merge"}, {"--origin", "merge"}, {"--live", "plan"}} {
		if slices.ContainsFunc(args, func(a string) bool { return a == f.flag || strings.HasPrefix(a, f.flag+"=") }) {
			return "; did you mean resource-merge " + f.command + "?"
		}
	}
	return ""
}

// help writes the help of a command. The examples come first, since most readers look for them. (A
// template, as cobra uses, would keep every method of every package in the binary.)
func help(c *cobra.Command, _ []string) {
	out := c.OutOrStdout()
	fmt.Fprintf(out, "%s.\n\n", c.Short)
	if c.Example != "" {
		fmt.Fprintf(out, "Examples:\n%s\n\n", c.Example)
	}
	if c.Long != "" {
		fmt.Fprintf(out, "%s\n\n", strings.TrimSpace(c.Long))
	}
	use := c.UseLine()
	if !c.Runnable() {
		use = c.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(out, "Usage:\n  %s\n", use)
	writeCommands(out, c)
	if flags := c.LocalFlags().FlagUsagesWrapped(columns); flags != "" {
		fmt.Fprintf(out, "\nFlags:\n%s", flags)
	}
	if c.HasSubCommands() {
		fmt.Fprintf(out, "\n%s COMMAND --help describes a command.\n", c.CommandPath())
	}
}

// writeCommands lists the commands below a command, by their groups in the order of commands.
func writeCommands(out io.Writer, c *cobra.Command) {
	var groups []string
	for _, g := range c.Groups() {
		groups = append(groups, g.ID)
	}
	subs := c.Commands()
	if len(groups) > 0 {
		names := commandNames()
		slices.SortStableFunc(subs, func(a, b *cobra.Command) int {
			return cmp.Compare(slices.Index(names, a.Name()), slices.Index(names, b.Name()))
		})
	}
	for _, group := range append(groups, "") {
		title := cmp.Or(group, "Commands")
		if group == "" && len(groups) > 0 {
			title = "Help"
		}
		for _, sub := range subs {
			if sub.GroupID != group || !sub.IsAvailableCommand() {
				continue
			}
			if title != "" {
				fmt.Fprintf(out, "\n%s:\n", title)
				title = ""
			}
			fmt.Fprintf(out, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
		}
	}
}

// checkedWriter keeps the first error of a stream, such as a full disk, for functions that write on without looking.
type checkedWriter struct {
	to  io.Writer
	err error
}

func (w *checkedWriter) Write(text []byte) (int, error) {
	n, err := w.to.Write(text)
	w.err = cmp.Or(w.err, err)
	return n, err
}

// documentation has the fields of --doc, as krm-functions-sdk names them, from metadata.yaml and
// from README.md between the marks of mdtogo. It is parsed here and not by the SDK, which would
// take a quarter of the program's start; a test compares the two.
type documentation struct {
	Short              string   `json:"short" yaml:"-"`
	Long               string   `json:"long" yaml:"-"`
	Examples           string   `json:"examples" yaml:"-"`
	Image              string   `json:"image" yaml:"image"`
	Description        string   `json:"description" yaml:"description"`
	Tags               []string `json:"tags" yaml:"tags"`
	SourceURL          string   `json:"sourceURL" yaml:"sourceURL"`
	ExamplePackageURLs []string `json:"examplePackageURLs" yaml:"examplePackageURLs"`
	License            string   `json:"license" yaml:"license"`
	Hidden             bool     `json:"hidden" yaml:"hidden"`
}

// printDocs prints the documentation: with --help as the SDK for functions does, but as text on a
// terminal and with -h, where the commands come first; with --doc alone as JSON.
func printDocs(p Program, args []string, stdout io.Writer) error {
	var d documentation
	readme := p.Readme
	if err := yaml.Unmarshal(p.Metadata, &d); err != nil {
		return fmt.Errorf("read metadata.yaml: %w", err)
	}
	d.Short, d.Long, d.Examples = section(readme, "Short"), section(readme, "Long"), section(readme, "Examples")
	switch help := slices.Contains(args, "--help"); {
	case help && !isTerminal(stdout):
		_, err := fmt.Fprintf(stdout, "%s\n\n%s\n\nExamples:\n%s\n", d.Short, d.Long, d.Examples)
		return err
	case help, slices.Contains(args, "-h"):
		to := &checkedWriter{to: stdout}
		fmt.Fprintf(to, "%s\n\n%s\n", plainText(d.Short), usage)
		writeCommands(to, newRoot(p.version(), "help", streams{}))
		fmt.Fprintf(to, "\n%s\n\nExamples:\n%s\n", plainText(d.Long), plainText(d.Examples))
		return to.err
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err == nil {
		_, err = stdout.Write(text)
	}
	return err
}

func isTerminal(stream any) bool {
	file, is := stream.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

func section(readme []byte, name string) string {
	_, after, _ := strings.Cut(string(readme), "<!--mdtogo:"+name+"-->")
	text, _, _ := strings.Cut(after, "<!--mdtogo-->")
	return strings.TrimSpace(text)
}

// plainText returns Markdown without the marks of code, bold text and links, for a terminal.
func plainText(markdown string) string {
	links := regexp.MustCompile(`\[([^\[\]]*)\]\([^)]*\)`)
	var b strings.Builder
	code := false
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "```") {
			code = !code
			continue
		}
		if code {
			b.WriteString("  " + line)
			continue
		}
		line = links.ReplaceAllString(line, "$1")
		b.WriteString(strings.NewReplacer("**", "", "`", "").Replace(line))
	}
	return b.String()
}
