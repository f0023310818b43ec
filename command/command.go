// Package command is the program: the KRM function and the commands, behind a few doors. It is
// not for other programs, which use pkgmerge and the packages beside it.
package command

import (
	"context"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/cli"
	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/gitdriver"
	"github.com/resource-merge/resource-merge/command/internal/krmfunction"
	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/command/internal/marking"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Program has the documentation and the version that a build puts into the binary. Its method Main runs the program.
type Program = cli.Program

// Function merges a ResourceList, as the program does without a command.
func Function(list []byte) ([]byte, error) { return krmfunction.Run(list, nil) }

// Encodings merges a ResourceList, and returns for each item of the result the values that
// have no text on any side and were encoded.
func Encodings(list []byte) ([][]manifest.Encoding, error) { return krmfunction.Encoded(list) }

// Settings is a function config that was read.
type Settings = config.Settings

// ReadSettings reads a function config, nil where there is none.
func ReadSettings(functionConfig *yaml.Node) (Settings, error) { return config.Read(functionConfig) }

// The types of a merge of one file, as git's merge driver does it.
type (
	// FileVersions are the three versions of a file.
	FileVersions = gitdriver.Versions
	// MergedFile is the result of MergeFile.
	MergedFile = gitdriver.Merged
	// Decision is one that MergeFile took without asking.
	Decision = gitdriver.Decision
	// MarkerFormat is the form of the markers in a file.
	MarkerFormat = marker.Format
	// Pieces are the text of a file with markers, cut at the markers.
	Pieces = marker.Pieces
)

// The sides of a file as git names them, styles of markers, and the way of a merge
// that compares lines and no fields.
const (
	Ours, Base, Theirs = marker.Ours, marker.Base, marker.Theirs
	MergeStyle         = marker.Merge
	Diff3Style         = marker.Diff3
	ByLines            = gitdriver.ByLines
)

// MergeFile merges the versions of a file as git's merge driver does.
func MergeFile(ctx context.Context, v FileVersions, f MarkerFormat) (MergedFile, error) {
	return gitdriver.Git{}.Merge(ctx, v, f)
}

// MergeLines merges the versions of a file as git does without a driver, and returns the number of conflicts.
func MergeLines(ctx context.Context, v FileVersions, f MarkerFormat) (text []byte, conflicts int, err error) {
	return gitdriver.Git{}.MergeLines(ctx, v, f)
}

// Marked is a merged package with markers, and the number of its conflicts.
type Marked = marking.Marked

// MergeMarked merges packages and leaves markers around each conflict.
func MergeMarked(ctx context.Context, packages [3]pkgmerge.Package, o pkgmerge.Options, rules pkgmerge.Rules) (*Marked, error) {
	return marking.Merge(ctx, packages, o, rules)
}
