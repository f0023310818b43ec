package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/resource-merge/resource-merge/internal/reportfile"
	"github.com/resource-merge/resource-merge/sink"
)

// finish puts the result where it is to go, and reports. The files of reports are
// open before anything is written.
func (o outcome) finish(ctx context.Context, to *output, outputs []reportfile.Output, local place, s streams) error {
	said, err := o.report()
	if err != nil {
		return err
	}
	open, err := reportfile.Open(outputs, s.out, s.err)
	if err != nil {
		return err
	}
	if said.Summary.Failed {
		if err := open.Write(said); err != nil || slices.ContainsFunc(outputs, reportfile.Output.OnStderr) {
			return cmp.Or(err, error(exit(failed)))
		}
		return errors.New(said.Summary.Message)
	}
	write := func() error { return to.sink(s, o, local).Write(ctx, o.result) }
	if to.usesStdout() {
		err = write() // whoever reads stdout may let it wait
	} else {
		err = uninterrupted(ctx, write)
	}
	if err != nil {
		if errors.Is(err, sink.ErrNotEmpty) {
			err = fmt.Errorf("%w; give --force to put the package among its files", err)
		}
		return errors.Join(err, open.Discard())
	}
	if err := open.Write(said); err != nil {
		return err
	}
	changes, err := o.changes()
	if err == nil && (o.left() > 0 || to.exitCode && changes) {
		err = exit(failed)
	}
	return err
}
