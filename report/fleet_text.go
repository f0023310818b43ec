package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// maxNamed is how many packages or resources a report of a fleet names of many; the
// report in JSON names all.
const maxNamed = 3

// maxFleetValue is how much of a value the text shows, in bytes.
const maxFleetValue = 80

// fleetText writes the summary, and then each conflict with what the packages have.
func fleetText(w io.Writer, f *Fleet) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, f.Summary())
	for _, a := range f.Alike {
		fmt.Fprintf(b, "\n%s: %s\n", wording.Plural(len(a.Packages), "package"), a.Title())
		fmt.Fprintf(b, "  %s: origin %s, upstream %s; %s\n", a.Kind, wording.CutMiddle(a.Origin, maxFleetValue), wording.CutMiddle(a.Upstream, maxFleetValue), a.Ended())
		for i, l := range a.Locals {
			if i == maxNamed {
				fmt.Fprintf(b, "  and %s of local's\n", wording.Plural(len(a.Locals)-i, "more value"))
				break
			}
			fmt.Fprintf(b, "  local %-*s  %s: %s\n", widestLocal(a.Locals), wording.CutMiddle(l.Value, maxFleetValue), wording.Plural(len(l.Packages), "package"), named(l.Packages))
		}
		if a.Rule != nil {
			fmt.Fprintf(b, "  rule: %s", strings.TrimPrefix(a.Rule.YAML(), "- "))
		}
	}
	for _, failure := range f.Failures {
		fmt.Fprintf(b, "\n%s failed: %s\n  %s\n", wording.Plural(len(failure.Packages), "package"), wording.CutMiddle(failure.Message, maxValue), named(failure.Packages))
	}
	return b.Flush()
}

// widestLocal is the width of the values that are shown, which long ones do not count for.
func widestLocal(locals []*Local) int {
	width := 0
	for _, l := range locals[:min(len(locals), maxNamed)] {
		width = max(width, utf8.RuneCountInString(l.Value))
	}
	return min(width, maxWho)
}

// named names some of many.
func named(all []string) string {
	if len(all) <= maxNamed {
		return strings.Join(all, ", ")
	}
	return strings.Join(all[:maxNamed], ", ") + fmt.Sprintf(" and %d more", len(all)-maxNamed)
}
