// Package update is a file of kpt's own package of that name while
// TestKptTablesEngine runs kpt's tests: its updaters are those of engines/kpt. That of
// resource-merge is the one that the lines in engines/kpt/README.md put into kpt.
package update

import (
	kptfilev1 "github.com/kptdev/kpt/pkg/api/kptfile/v1"
	engine "github.com/resource-merge/resource-merge/engines/kpt"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Update of an updater is what the tests call.
func (u ResourceMergeUpdater) Update(o Options) error {
	return strategies[kptfilev1.ResourceMerge]().Update(o)
}

func (u FastForwardUpdater) Update(o Options) error { return by(kptfilev1.FastForward).Update(o) }

func (u ReplaceUpdater) Update(o Options) error { return by(kptfilev1.ForceDeleteReplace).Update(o) }

func (u CopyMergeUpdater) Update(o Options) error { return by(kptfilev1.CopyMerge).Update(o) }

// by is the updater of a strategy of kpt.
func by(name kptfilev1.UpdateStrategyType) Updater {
	strategy, err := pkgmerge.StrategyNamed(string(name))
	if err != nil {
		panic(err)
	}
	return engine.Updater[Options]{Merge: pkgmerge.Options{Strategy: strategy}}
}
