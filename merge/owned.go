package merge

import "github.com/resource-merge/resource-merge/internal/managed"

// owned is what somebody owns of an element and below it.
type owned struct {
	by     *managed.Entry
	fields *managed.Set
}
