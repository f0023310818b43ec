package merge

import "testing"

func TestPatternReaches(t *testing.T) {
	n := parse(t, `
spec:
  ports: [{port: 80}, {port: 53, protocol: UDP}]
  base: &b {own: 1}
  merged: {<<: *b}
  alias: *b
  disks: [{metadata: {name: a}}]
  finalizers: [x, 3]
  none: null
metadata: {annotations: {a.b/c: d}}
`)
	for pattern, want := range map[string]bool{
		"spec": true, "spec.ports": true, "spec.ports[*]": true, "spec.ports[*].port": true, "spec.ports[*].name": false,
		"spec.ports[port=80]": true, `spec.ports[port=80,protocol="TCP"]`: true, `spec.ports[port=53,protocol="TCP"]`: false,
		`spec.ports[port="80"]`: false, `spec.ports[name="x"]`: false, "spec.port": false, "spec.ports.port": false,
		"spec.merged.own": true, "spec.alias.own": true, "spec.alias.other": false, `spec.disks[metadata.name="a"].metadata`: true,
		`spec.finalizers[="x"]`: true, "spec.finalizers[=3]": true, `spec.finalizers[="3"]`: false, "spec.none": true,
		`metadata.annotations["a.b/c"]`: true, "metadata.annotations[*]": false,
	} {
		p, err := ParsePattern(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Reaches(n); got != want {
			t.Errorf("%s: %v", pattern, got)
		}
	}
}

// TestPatternReachesThroughABomb: each step follows an alias once.
func TestPatternReachesThroughABomb(t *testing.T) {
	text := "a0: &a0 [x]\n"
	for i := range 9 {
		text += string(rune('b'+i)) + ": &" + string(rune('b'+i)) + " ["
		before := string(rune('a' + i))
		if i == 0 {
			before = "a0"
		}
		for range 9 {
			text += "*" + before + ", "
		}
		text += "]\n"
	}
	p, err := ParsePattern("j[*][*][*][*][*][*][*][*][*][*].x")
	if err != nil || p.Reaches(parse(t, text)) {
		t.Error(err)
	}
}
