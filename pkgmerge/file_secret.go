package pkgmerge

import (
	"path"
	"slices"
	"strings"
)

// isSecretName reports whether a file's name says that it holds a secret: one from which a
// Kustomization makes Secrets has such a name (design 19).
func isSecretName(name string) bool {
	base := strings.ToLower(path.Base(name))
	if slices.Contains([]string{".env", ".key", ".pem", ".p12", ".pfx", ".jks"}, path.Ext(base)) {
		return true
	}
	return slices.ContainsFunc([]string{".env.", "secret", "password", "credential"}, func(word string) bool { return strings.Contains(base, word) })
}
