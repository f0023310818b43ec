package report

import "github.com/resource-merge/resource-merge/pkgmerge"

// Join is one report of several: of a package and of its subpackages that were merged
// on their own.
func Join(reports ...*Report) *Report {
	all := &Report{Sides: sideNames(false)}
	var merged []*pkgmerge.Result
	for _, r := range reports {
		merged = append(merged, r.merged)
		all.Sides = r.Sides
		all.Steps = append(all.Steps, r.Steps...)
		all.Resources = append(all.Resources, r.Resources...)
		all.Notices = append(all.Notices, r.Notices...)
		all.away = append(all.away, r.away...)
	}
	all.Summary = newCounts(merged...).numbers()
	return all
}
