package cli

import (
	"context"
	"errors"

	"github.com/resource-merge/resource-merge/report"
)

// finish puts the result where it is to go, and reports. The files of reports are
// open before anything is written.
func (o outcome) finish(ctx context.Context, to *output, outputs []report.Output, local place, s streams) error {
	said, err := o.report()
	if err != nil {
		return err
	}
	open, err := report.Open(outputs, s.out, s.err)
	if err != nil {
		return err
	}
	if said.Summary.Failed {
		return errors.Join(errors.New(said.Summary.Message), open.Write(said))
	}
	if err := to.sink(s, o, local).Write(ctx, o.result); err != nil {
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
