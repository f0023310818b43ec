package values

import (
	"slices"
	"strings"
)

// isSecret reports whether a value is not to be shown (rules/values: secrets).
func (c *comparison) isSecret(path []string) bool {
	last := strings.ToLower(path[len(path)-1])
	for _, end := range [...]string{"password", "token", "secret", "key"} {
		if strings.HasSuffix(last, end) {
			return true
		}
	}
	return c.nowUses.isSecret(path) || c.oldUses.isSecret(path)
}

// Redacted returns the finding with a text in place of each value that is not to be shown, also of those in maps and lists.
func (f *Finding) Redacted(text string) Finding {
	out := *f
	for _, value := range [...]*any{&out.Value, &out.OldDefault, &out.NewDefault} {
		*value = f.redacted(*value, f.Path, text, f.Secret)
	}
	return out
}

// redacted returns a value at a path with a text in place of the values that are not to be shown: of itself if it is secret.
func (f *Finding) redacted(value any, path []string, text string, secret bool) any {
	if secret && value != nil {
		return text
	}
	switch v := value.(type) {
	case tree:
		out := tree{}
		for name, below := range v {
			at := append(slices.Clone(path), name)
			out[name] = f.redacted(below, at, text, f.isSecret != nil && f.isSecret(at))
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, below := range v {
			out[i] = f.redacted(below, path, text, false)
		}
		return out
	}
	return value
}
