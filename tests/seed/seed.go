// Package seed makes property tests repeatable: a run of the tests says the same
// today and tomorrow, here and in CI; and it says how much a run checks. Only tests use it.
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
	// quick is the number of draws of a run that asks for none, and full the number from which on a run checks whole tables.
	quick, full = 25, 100
	// collected is the growth of the heap, in percent, after which its garbage is collected: tests allocate much and keep little.
	collected = 400
)

// Main runs a package's tests, whose laws draw from one seed unless the flag
// -rapid.seed or the variable RAPID_SEED gives another. The seed 0 is a random one.
// They draw 25 times, unless -rapid.checks or RAPID_CHECKS asks for more.
func Main(m *testing.M) {
	debug.SetGCPercent(collected)
	// The flags are there: rapid, which the tests import, defines them.
	for _, preset := range []struct{ flag, variable, value string }{
		{"rapid.seed", "RAPID_SEED", strconv.Itoa(usual)}, {"rapid.checks", "RAPID_CHECKS", strconv.Itoa(quick)},
	} {
		if _, asked := os.LookupEnv(preset.variable); asked {
			continue
		}
		if err := flag.Set(preset.flag, preset.value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// Checks is how many draws -rapid.checks asks for or, in a package without this flag, RAPID_CHECKS; 25 where nobody asks.
func Checks() int {
	text := os.Getenv("RAPID_CHECKS")
	if f := flag.Lookup("rapid.checks"); f != nil {
		text = f.Value.String()
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return quick
}

// Step is the distance between the rows of a table that a run checks: 1, which means every row, from 100 checks on, and
// else the given one. .ci/run asks for 100 checks.
func Step(distance int) int {
	if Checks() >= full {
		return 1
	}
	return distance
}

// Long skips a test in a run of fewer than 100 checks.
func Long(t testing.TB) {
	t.Helper()
	if Checks() < full {
		t.Skip("RAPID_CHECKS=100 runs it")
	}
}
