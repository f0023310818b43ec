package overlay

import (
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/patch"
)

// names gives each resource a name for its file: kind and name, and only where that is
// taken the namespace, the group, and a number too.
type names map[string]bool

func (n names) of(t patch.Target) string {
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
