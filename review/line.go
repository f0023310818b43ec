package review

import (
	"slices"

	"github.com/resource-merge/resource-merge/patch/kustomize"
	"github.com/resource-merge/resource-merge/values"
)

// Class is the class of a line of a layer (rules/review: classes).
type Class string

// The classes of lines.
const (
	Needed       Class = "needed"
	MovedBeneath Class = "moved-beneath"
	Redundant    Class = "redundant"
	Renamed      Class = "renamed"
	Dead         Class = "dead"
	Refused      Class = "refused"
)

// Classes returns all classes, in the order in which they are counted.
func Classes() []Class { return []Class{Needed, MovedBeneath, Redundant, Renamed, Dead, Refused} }

// Line is one line of a layer: a value, a field of a patch, or an entry of a list such as images.
type Line struct {
	Class Class
	// Was is the class of the line over the old version alone, as far as that is needed, redundant, dead or refused; needed if the old version
	// of the file lacks the line.
	Was Class
	// Layer is the sort of the layer, such as values or patch.
	Layer string
	// File and Number are the place of the line, from 1.
	File   string
	Number int
	// Resource is the resource that a patch is for; "" of values.
	Resource string
	// Path is the path of the field, and NewPath that to which the line moves, "" if it does not.
	Path, NewPath string
	// Value is the layer's, and Old and New are upstream's, nil where there is none. What may be secret is Hidden.
	Value, Old, New any
	// HasOld and HasNew report whether upstream has a value there.
	HasOld, HasNew bool
	// Candidates are the paths to which the line may have to be moved by hand.
	Candidates []string
	// Note is the reason of the class, where that is not plain.
	Note string

	spot spot
}

// Hidden stands in place of a value that may be secret.
const Hidden = "(hidden)"

// IsNews reports whether the line's class comes from the bump: over the old version the line was of another one.
func (l *Line) IsNews() bool { return l.Class != Needed && l.Class != l.Was }

// Bump is a version that changed, with the lines of the layers over it.
type Bump struct {
	// Name names the release or the base, and File is the manifest with the version.
	Name, File string
	// Old and New are the versions.
	Old, New string
	Lines    []*Line
	// Notes are sentences about what could not be read, and so is not judged.
	Notes []string
	// Unjudged is the reason why no line is judged, such as a version that does not exist; nil else. It is a note, too.
	Unjudged error

	old, now kustomize.Files
	// edits returns the edits of values, and compare compares both versions.
	edits   func(remove func(*Line) bool) ([]values.Replacement, error)
	compare func(from Upstream) error
}

// Edits returns the changes of files that move renamed lines and, with prune, remove redundant and dead ones.
func (b *Bump) Edits(prune bool) ([]values.Replacement, error) {
	return b.changes(func(l *Line) bool { return prune && (l.Class == Redundant || l.Class == Dead) })
}

// Without returns the changes of files that move renamed lines and remove one line, whatever its class is. Lines in braces and
// needed values stay.
func (b *Bump) Without(l *Line) ([]values.Replacement, error) {
	return b.changes(func(other *Line) bool { return other == l })
}

func (b *Bump) changes(remove func(*Line) bool) (changes []values.Replacement, err error) {
	if b.edits != nil {
		if changes, err = b.edits(remove); err != nil {
			return nil, err
		}
	}
	layers, err := layerEdits(b.now, b.Lines, remove)
	return append(changes, layers...), err
}

// Count returns the number of lines of a class.
func (b *Bump) Count(class Class) (n int) {
	for _, l := range b.Lines {
		if l.Class == class {
			n++
		}
	}
	return n
}

// HasNews reports whether a line's class comes from the bump.
func (b *Bump) HasNews() bool {
	return slices.ContainsFunc(b.Lines, (*Line).IsNews)
}
