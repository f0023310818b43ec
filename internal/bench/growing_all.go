package bench

import "slices"

// AllGrowing are the shapes: of packages, of single resources, and of texts.
func AllGrowing() []Growing {
	return slices.Concat(growingPackages(), growingResources(), growingTexts(), growingClusters())
}
