package reportfile

import (
	"testing"

	"github.com/resource-merge/resource-merge/tests/seed"
)

func TestMain(m *testing.M) { seed.Main(m) }
