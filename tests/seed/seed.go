// Package seed makes property tests repeatable: a run of the tests says the same
// today and tomorrow, here and in CI. Only tests use it.
package seed

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
)

const (
	// usual is the seed of a run that asks for none.
	usual = 20
	// collected is the growth of the heap, in percent, after which its garbage is collected: tests allocate much and keep little.
	collected = 400
)

// Main runs a package's tests, whose laws draw from one seed unless the flag
// -rapid.seed or the variable RAPID_SEED gives another. The seed 0 is a random one.
func Main(m *testing.M) {
	debug.SetGCPercent(collected)
	if _, asked := os.LookupEnv("RAPID_SEED"); !asked {
		// The flag is there: rapid, which the tests import, defines it.
		if err := flag.Set("rapid.seed", strconv.Itoa(usual)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
