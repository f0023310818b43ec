package schema

import (
	"cmp"
	"strconv"
	"strings"
)

// CompareVersions orders API versions by Kubernetes' version priority:
// v1alpha1 < v1beta1 < v1beta2 < v1 < v2. What is no such version comes before
// all, by its text.
func CompareVersions(a, b string) int {
	x, y := parseVersion(a), parseVersion(b)
	return cmp.Or(
		cmp.Compare(x.stability, y.stability),
		cmp.Compare(x.major, y.major),
		cmp.Compare(x.minor, y.minor),
		cmp.Compare(a, b),
	)
}

// version is a version in the order of its fields. The zero version is that of
// a text which is none.
type version struct{ stability, major, minor int }

func parseVersion(text string) version {
	digits, found := strings.CutPrefix(text, "v")
	for i, name := range []string{"alpha", "beta"} {
		major, minor, ok := strings.Cut(digits, name)
		if ok && found && isNumber(major) && isNumber(minor) {
			return version{stability: i + 1, major: number(major), minor: number(minor)}
		}
	}
	if found && isNumber(digits) {
		return version{stability: 3, major: number(digits)}
	}
	return version{}
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// number reads digits; a number out of range sorts as the largest.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
