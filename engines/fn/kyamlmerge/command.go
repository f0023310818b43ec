package kyamlmerge

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/fn/framework/command"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/command/function"
)

// Command returns the function as a command of kyaml's framework/command. Without arguments it merges the ResourceList in
// its stdin; with arguments, the items in files: the first one has the function config, and - is stdin. "gen DIR" writes
// a Dockerfile for the program that calls Command.
//
// A list in stdin does not go through framework.Execute, so it comes out byte for byte as from the program, with the
// results of earlier steps.
func Command() *cobra.Command {
	cmd := command.Build(framework.ResourceListProcessorFunc(mergeFiles), command.StandaloneEnabled, true)
	cmd.SilenceErrors = false // the framework prints no error of flags, of gen and of the config's file
	command.AddGenerateDockerfile(cmd)
	cmd.Use = "resource-merge [CONFIG FILE…]"
	cmd.Short = "Merge a new version of a package into a customised copy of it"
	cmd.Long = `Merge a new version of a package into a customised copy of it, field by field, and name each conflict.

Without arguments, the command merges the ResourceList in its stdin. With arguments, CONFIG is a file with the function
config, a ResourceMerge, and the files have the resources: those with the annotation config.kubernetes.io/merge-source
origin or upstream are on that side, and all others are yours. The merged resources come out as a stream.`
	cmd.Example = `  resource-merge < list.yaml
  resource-merge merge.yaml origin.yaml upstream.yaml local.yaml`
	files := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return files(cmd, args)
		}
		return mergeStdin(cmd)
	}
	return cmd
}

// mergeFiles merges items of files. What upstream adds has a path below upstream's directory, which means nothing in a
// stream, unless the items of the files have paths.
func mergeFiles(rl *framework.ResourceList) error {
	hasPaths := slices.ContainsFunc(rl.Items, func(item *yaml.RNode) bool {
		path, _, err := kioutil.GetFileAnnotations(item)
		return err != nil || path != ""
	})
	if err := (Processor{}).Process(rl); err != nil || hasPaths {
		return err
	}
	for _, item := range rl.Items {
		if err := item.PipeE(yaml.ClearAnnotation(kioutil.PathAnnotation)); err != nil {
			return err
		}
	}
	return nil
}

// mergeStdin merges the list in stdin, and writes a list whatever happens.
func mergeStdin(cmd *cobra.Command) error {
	in, err := io.ReadAll(cmd.InOrStdin())
	if err != nil {
		return fmt.Errorf("read stdin: %w", err)
	}
	merged, failed := function.Run(in)
	if _, err := cmd.OutOrStdout().Write(merged); err != nil {
		return err
	}
	return failed
}
