// Package sink puts the result of a merge somewhere.
package sink

import (
	"context"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Sink is where the result of a merge goes.
type Sink interface {
	Write(context.Context, *pkgmerge.Result) error
}
