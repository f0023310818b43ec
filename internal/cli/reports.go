package cli

import (
	"github.com/resource-merge/resource-merge/internal/reportfile"
	"github.com/resource-merge/resource-merge/report"
)

// outputs are the reports that the flags ask for: text on stderr if they name none,
// and none there if they ask for quiet. stdoutTaken says that the result goes to
// stdout.
func (c *common) outputs(stdoutTaken bool) ([]reportfile.Output, error) {
	texts := c.reports
	if len(texts) == 0 {
		texts = []string{report.Text{}.Name()}
	}
	all, err := reportfile.ParseOutputs(texts, stdoutTaken)
	if err != nil {
		return nil, usageError{err}
	}
	var out []reportfile.Output
	for _, o := range all {
		if c.quiet && o.File == "" && o.Format.Name() == (report.Text{}).Name() {
			continue
		}
		out = append(out, o)
	}
	return out, nil
}
