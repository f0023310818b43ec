package journal

import "os"

// run is one call of Replace.
type run struct {
	disk
	plan   plan
	record record
	seen   []os.FileInfo // what was at the place of each edit before the run
	done   []int         // the steps that the run has made
	built  int           // how many directories it has made
}
