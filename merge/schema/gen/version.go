package main

import (
	"cmp"
	"regexp"
	"strconv"
)

// compareVersions orders API versions by Kubernetes' version priority:
// v1alpha1 < v1beta1 < v1beta2 < v1 < v2.
func compareVersions(a, b string) int {
	x, y := parseVersion(a), parseVersion(b)
	return cmp.Or(
		cmp.Compare(x.stability, y.stability),
		cmp.Compare(x.major, y.major),
		cmp.Compare(x.minor, y.minor),
		cmp.Compare(a, b),
	)
}

// version is a version in the order of its fields. The zero version is that
// of a text which is none.
type version struct{ stability, major, minor int }

func parseVersion(text string) version {
	parts := regexp.MustCompile(`^v(\d+)(?:(alpha|beta)(\d+))?$`).FindStringSubmatch(text)
	if parts == nil {
		return version{}
	}
	major, _ := strconv.Atoi(parts[1]) // digits; out of range sorts as the largest
	minor, _ := strconv.Atoi(parts[3])
	return version{stability: stability(parts[2]), major: major, minor: minor}
}

func stability(name string) int {
	switch name {
	case "alpha":
		return 1
	case "beta":
		return 2
	}
	return 3
}
