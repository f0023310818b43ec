package patch

import (
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// FileNames gives each resource a name for its file: kind and name, and only where that is
// taken the namespace, the group, and a number too. It has the names that are taken, without
// their ending.
type FileNames map[string]bool

// Of is a name that nothing has yet.
func (n FileNames) Of(t Target) string {
	name := clean(t.Kind + "-" + t.Name)
	for _, more := range [2]string{t.Namespace, identity.Group(t.APIVersion)} {
		if n[name] && more != "" {
			name += "-" + clean(more)
		}
	}
	free := name
	for i := 2; n[free]; i++ {
		free = name + "-" + strconv.Itoa(i)
	}
	n[free] = true
	return free + ".yaml"
}

// clean is a text as a part of a file's name, on every system.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(text))
}
