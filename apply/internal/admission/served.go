package admission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// Unserved returns the reason for which Kubernetes serves no kind under an apiVersion, "" if it serves it, or if nothing
// is known about it: a version that a release has removed, a version of the past, and a kind that is misspelt.
func (f *Fields) Unserved(apiVersion, kind string) string {
	group, version := identity.Group(apiVersion), identity.Version(apiVersion)
	if removed := f.removed[group+" "+kind+" "+version]; removed != [2]string{} {
		return fmt.Sprintf("Kubernetes %s removed %s %s", removed[0], apiVersion, kind) + instead(removed[1])
	}
	if f.kinds[group+" "+kind+" "+version] != "" {
		return ""
	}
	var versions, names []string
	for key := range f.kinds {
		words := strings.Split(key, " ")
		if words[0] != group || words[2] == "meta" {
			continue
		}
		if words[1] == kind && f.removed[key] == [2]string{} {
			versions = append(versions, words[2])
		}
		if words[2] == version {
			names = append(names, words[1])
		}
	}
	slices.Sort(names)
	switch meant := wording.DidYouMean(kind, names); {
	case len(versions) > 0 && strings.ContainsAny(version, "ab"): // a newer server may have a newer version
		slices.Sort(versions)
		return fmt.Sprintf("Kubernetes has no %s %s", apiVersion, kind) + instead(strings.TrimPrefix(group+"/"+versions[0], "/"))
	case len(versions) == 0 && meant != "":
		return fmt.Sprintf("Kubernetes has no kind %s in %s", kind, apiVersion) + meant
	}
	return ""
}

// IsBuiltIn reports whether a kind is one of client-go's, for which kubectl sends strategic merge patches.
func (f *Fields) IsBuiltIn(apiVersion, kind string) bool {
	group := identity.Group(apiVersion)
	isExtension := group == "apiextensions.k8s.io" || group == "apiregistration.k8s.io"
	return !isExtension && f.kinds[group+" "+kind+" "+identity.Version(apiVersion)] != ""
}

// instead proposes another apiVersion.
func instead(apiVersion string) string {
	if apiVersion == "-" {
		return ""
	}
	return "; write apiVersion: " + apiVersion
}
