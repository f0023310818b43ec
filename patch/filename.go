package patch

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// FileNames gives each resource a name for its file: kind and name, and only where that is
// taken the namespace, the group, and a number too. It has the names that are taken, without
// their ending.
type FileNames map[string]bool

// maxName is how many bytes a name has at most without its extension. File systems take 255;
// the rest is for a number, and for the names that editors and tools make of it.
const maxName = 200

// Of is a name that nothing has yet. Of a long name the end is a hash of the whole.
func (n FileNames) Of(t Target) string {
	name := short(clean(t.Kind + "-" + t.Name))
	for _, more := range [2]string{t.Namespace, identity.Group(t.APIVersion)} {
		if n[name] && more != "" {
			name = short(name + "-" + clean(more))
		}
	}
	free := name
	for i := 2; n[free]; i++ {
		free = name + "-" + strconv.Itoa(i)
	}
	n[free] = true
	return free + ".yaml"
}

// short is a name of at most maxName bytes.
func short(name string) string {
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	tail := "-" + hex.EncodeToString(sum[:8])
	return name[:maxName-len(tail)] + tail
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
