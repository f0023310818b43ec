package report

import (
	"fmt"

	"github.com/resource-merge/resource-merge/live"
)

// stepReason says why an object is kept or skipped, "" for all others (design 15.3, 15.5).
func stepReason(s *live.Step) string {
	if s == nil {
		return ""
	}
	other := liveSubject(s.Other)
	switch s.Reason {
	case live.Annotated:
		return fmt.Sprintf("its annotation %s: %s has it stay", s.Annotation, s.Value)
	case live.Unowned:
		return "it belongs to no inventory; inventoryPolicy adopt takes it"
	case live.Foreign:
		return fmt.Sprintf("it belongs to another inventory, %s", s.Value)
	case live.Inhabited:
		return fmt.Sprintf("%s is in it", other)
	case live.DependencyPruned:
		return fmt.Sprintf("it depends on %s, which config lacks", other)
	case live.DependencySkipped:
		return fmt.Sprintf("it depends on %s, which is not applied", other)
	case live.DependentApplied:
		return fmt.Sprintf("%s depends on it, and is in config", other)
	case live.DependentStays:
		return fmt.Sprintf("%s depends on it, and stays", other)
	case live.SameObject:
		return fmt.Sprintf("config has the object as %s, in another group", other)
	case live.Refused:
		return "the server would refuse it"
	}
	return ""
}
