package version

import (
	"slices"
	"testing"
)

// TestCompare compares versions in both directions, and with themselves.
func TestCompare(t *testing.T) {
	for _, c := range []struct {
		older, newer string
	}{
		{"1.2.3", "1.2.4"}, {"1.9.0", "1.10.0"}, {"v1.2.3", "v2.0.0"}, {"1.2.3", "v1.3.0"}, {"v3", "v4"}, {"3.11", "3.12"}, {"9", "10"},
		{"1.2.3-rc.1", "1.2.3"}, {"1.2.3-rc.9", "1.2.3-rc.10"}, {"1.2.3-rc9", "1.2.3-rc10"}, {"1.2.3-alpha.2", "1.2.3-beta.1"},
		{"1.25.1-alpine", "1.27.0-alpine"}, {"1.2.3-debian-11-r9", "1.2.3-debian-11-r10"}, {"v1.10.1-eksbuild.4", "v1.10.1-eksbuild.6"},
		{"nginx:1.25.1", "nginx:1.25.2"}, {"host:5000/nginx:1", "host:5000/nginx:2"}, {"actions/checkout@v3", "actions/checkout@v4"},
		{"nginx:1.2.3@sha256:aaaa", "nginx:1.2.4@sha256:0000"}, {":1.2.3", ":1.2.4"},
		{"2023.12.1", "2024.1.0"}, {"2024.01.09", "2024.01.10"}, {"2024.01.09-2", "2024.01.09-10"}, {"22.04", "24.04"},
		{"20240131", "20240201"}, {"20240131-0930", "20240131-1030"}, {"2024-01-31", "2024-02-01"}, {"20240131103000", "20240131103001"},
		{"RELEASE.2024-01-31T10-30-00Z", "RELEASE.2024-02-01T00-00-00Z"}, {"1700000000", "1700000001"},
		{"main-a1b2c3d-1700000009", "main-ffffff0-1700000010"}, {"prod-a1b2c3d4-20240131103000", "prod-a1b2c3d5-20240131103001"},
		{"1.2.3-0.dev.git.99.h1a2b3c4", "1.2.3-0.dev.git.100.h0a2b3c4"}, {"0.0.1-n999.h1a2b3c4", "0.0.1-n1000.h0a2b3c4"},
		{"0.9.0-n999.h1a2b3c4", "0.10.0"}, {"0.0.1-099.1a2b3c4", "0.0.1-100.0a2b3c4"}, {"chart-1.2.3", "chart-1.10.0"},
		{"1.2.3-1234567.9", "1.2.3-7654321.10"}, {"999999999999999999999998.0.0", "999999999999999999999999.0.0"},
	} {
		for _, order := range []int{-1, 1} {
			a, b := c.older, c.newer
			if order > 0 {
				a, b = b, a
			}
			if got, ok := Compare(a, b); !ok || got != order {
				t.Errorf("Compare(%q, %q) = %d, %t, want %d", a, b, got, ok, order)
			}
			if got, ok := CompareBumps(a, b); !ok || got != order {
				t.Errorf("CompareBumps(%q, %q) = %d, %t, want %d", a, b, got, ok, order)
			}
		}
		if got, ok := Compare(c.older, c.older); !ok || got != 0 {
			t.Errorf("Compare(%q, itself) = %d, %t", c.older, got, ok)
		}
	}
}

// TestNoOrder compares texts without an order.
func TestNoOrder(t *testing.T) {
	for _, c := range [][2]string{
		{"main", "stable"}, {"latest", "1.2.3"}, {"a1b2c3d", "d3c2b1a"}, {"1234567", "7654321"}, {"", "1.0.0"}, {"1.x", "2.x"}, {">=1.2.0", ">=1.3.0"},
		{"^1.2.0", "^1.3.0"}, {"1.25.1-alpine", "1.25.1"}, {"1.25.1-alpine", "1.26.0-slim"}, {"a:1.2.3", "b:1.2.4"}, {"feature-1", "feature-2"},
		{"release-v1", "release-v2"}, {"20240131", "20240131103000"}, {"20240131", "1.2.3"}, {"1700000000", "1.2.3"}, {"main-a1b2c3d", "main-d3c2b1a"}, {"a:pr-1-20240131103000", "b:pr-2-20240131103001"},
		{"1.2.3-0.dev.git.9.h1a2b3c4", "1.2.3"}, {"sha256:12ab", "sha256:12ac"}, {"${TAG}", "1.0"}, {"1.", "2."}, {"v", "v1"}, {"2024-13-01", "2024-14-01"},
	} {
		if got, ok := Compare(c[0], c[1]); ok {
			t.Errorf("Compare(%q, %q) = %d, want no order", c[0], c[1], got)
		}
	}
}

// TestCompareBumps compares texts that only a program writes.
func TestCompareBumps(t *testing.T) {
	for _, c := range [][2]string{{"main-7", "main-10"}, {"pr-a1b2c3d-7", "pr-b1b2c3d-8"}, {"app:build-1234567", "app:build-1234568"}, {"release-v1", "release-v2"}} {
		if got, ok := CompareBumps(c[0], c[1]); !ok || got != -1 {
			t.Errorf("CompareBumps(%q, %q) = %d, %t", c[0], c[1], got, ok)
		}
	}
	if order, ok := Compare("app:pr-1-a1b2c3d-20240131103000", "app:prod-d3c2b1a-20240131103001"); !ok || order != -1 {
		t.Error("timestamps of two branches have no order for people")
	}
	if _, ok := CompareBumps("app:pr-1-20240131103000", "app:prod-20240131103001"); ok {
		t.Error("timestamps of two branches have an order for a program")
	}
	if _, ok := CompareBumps("main-7", "prod-8"); ok {
		t.Error("bumps of two branches have an order")
	}
}

// TestIsBelow finds a rollback, whatever else a version has.
func TestIsBelow(t *testing.T) {
	if !IsBelow("1.2.2-debug", "1.2.3") || IsBelow("1.2.4-debug", "1.2.3") || IsBelow("debug", "1.2.3") {
		t.Error("a rollback is not found")
	}
}

// TestNewer sorts the versions that are newer than one, and finds the newest release among them.
func TestNewer(t *testing.T) {
	all := []string{"v1.10.0", "v2.0.0-rc.10", "main", "v1.9.0", "v2.0.0-rc.9", "v1.2.0", "chart-9.0.0", "v1.10.0", "v1.9.0-beta1"}
	newer := Newer("v1.8.0", all)
	if want := []string{"v1.9.0-beta1", "v1.9.0", "v1.10.0", "v2.0.0-rc.9", "v2.0.0-rc.10"}; !slices.Equal(newer, want) {
		t.Errorf("newer are %q, want %q", newer, want)
	}
	if got := Latest(newer); got != "v1.10.0" {
		t.Errorf("the latest is %q", got)
	}
	if got := Latest([]string{"1.2.0-rc1-alpine"}); got != "" || len(Newer("main", all)) > 0 || Latest(nil) != "" {
		t.Errorf("the latest is %q, want none", got)
	}
	if newer := Newer("1.2.0-alpine", []string{"1.3.0", "1.3.0-alpine"}); Latest(newer) != "1.3.0-alpine" {
		t.Errorf("newer are %q", newer)
	}
}
