package tests

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// TestSecretsAreNeverShown merges Secrets whose values are random, in every kind of
// conflict and of failure: none of them is in a result or on stderr (rules/conflicts:
// secrets). What comes out as items has them, and is no business of this test.
func TestSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	shown := map[string]int{}
	for number := range uint64(1000 / seed.Step(2)) {
		s := secrets{r: rand.New(rand.NewPCG(number, 1))}
		in := s.list()
		out, err := command.Function(in)
		_, results, found := strings.Cut(string(out), "\nresults:\n")
		if !found {
			t.Fatalf("there are no results\n%s", out)
		}
		said := results + fmt.Sprint(err)
		for _, marker := range s.markers {
			if strings.Contains(said, marker) {
				t.Fatalf("%s is shown: %v\n%s\nof\n%s", marker, err, results, in)
			}
		}
		for _, word := range secretOutcomes() {
			shown[word] += strings.Count(said, word)
		}
	}
	for _, word := range secretOutcomes() {
		if shown[word] == 0 {
			t.Errorf("no run says %q; the test lacks that situation", word)
		}
	}
}

// secretOutcomes are texts that each have to occur in the output of some run.
func secretOutcomes() []string {
	return []string{
		"both sides changed it", "upstream deleted it", "to different kinds of value", "nothing merged",
		"you had deleted it", "duplicate key", "nested deeper", "aliases expand", "contains itself", "is not YAML", "deleted, because upstream deleted it",
		"occurs twice", "fast-forward",
	}
}

// secrets draws lists of Secrets and keeps what may not be shown.
type secrets struct {
	r       *rand.Rand
	markers []string
}

func (s *secrets) one(texts ...string) string { return texts[s.r.IntN(len(texts))] }

// marker is a value, or a part of one, that may not be shown.
func (s *secrets) marker() string {
	m := fmt.Sprintf("hush%08x", s.r.Uint32())
	s.markers = append(s.markers, m)
	return m
}

// list draws a list with one Secret on three sides, or on some.
func (s *secrets) list() []byte {
	shared := s.fields()
	faulty := s.r.IntN(15)
	var items []string
	for n, side := range []string{"local", "origin", "upstream", "upstream"} {
		if n == 3 && s.r.IntN(10) > 0 || n > 0 && s.r.IntN(10) == 0 {
			continue
		}
		fields := shared
		if s.r.IntN(4) > 0 {
			fields = s.fields()
		}
		if faulty == n {
			fields = s.fault()
		}
		items = append(items, "- apiVersion: v1\n  kind: Secret\n  metadata:\n    name: db\n    annotations:\n      config.kubernetes.io/merge-source: "+side+
			"\n      kubectl.kubernetes.io/last-applied-configuration: '{\"data\": \""+s.marker()+"\"}'\n"+fields)
	}
	return listOf("functionConfig: {apiVersion: fn.kpt.dev/v1alpha1, kind: ResourceMerge"+
		s.one("", "", "", ", conflicts: {prefer: local}", ", conflicts: {prefer: fail}", ", strategy: fast-forward", ", strategy: copy-merge")+"}\n",
		append(items, change()...)...)
}

// fields draws the fields of a Secret beside its metadata.
func (s *secrets) fields() string {
	var b strings.Builder
	for _, field := range []string{"data", "stringData", "more"} {
		if s.r.IntN(5) == 0 {
			continue
		}
		b.WriteString("  " + field + ":\n")
		for _, key := range []string{"user", "password", "token"} {
			if s.r.IntN(4) > 0 {
				b.WriteString("    " + key + ": " + s.value() + "\n")
			}
		}
		b.WriteString("    last: " + s.marker() + " # " + s.marker() + "\n")
	}
	return b.String() + s.one("", "  type: Opaque\n", "  type: kubernetes.io/tls\n")
}

// value draws a value that holds what may not be shown, in some form.
func (s *secrets) value() string {
	m := s.marker()
	return s.one(m, m, "'"+m+"'", "|\n      "+m+"\n      more", "{x: "+m+"}", "["+m+", {name: x, value: "+m+"}]", "!!binary "+m, "!!int "+m, "!own "+m, "null", "[{name: a, value: "+m+"}]")
}

// fault draws fields that cannot be merged, or not even be read.
func (s *secrets) fault() string {
	m := s.marker()
	return "  data:\n" + s.one(
		"    a: "+m+"\n    a: "+m+"\n",
		"    a: {b: "+m+", b: c}\n",
		"    a: "+strings.Repeat("[", 1100)+m+strings.Repeat("]", 1100)+"\n",
		"    secret: &s ["+m+", *s]\n",
		"    "+m[:4]+": "+m+"\n"+indented(aliasBomb(8), "    "),
		"    a: \""+m+"\n",
		"    a: "+m+": "+m+"\n",
		"    a: @"+m+"\n",
		"    a: %"+m+"\n",
		"    a: !"+m+"!x\n",
		"    a: \"\\q"+m+"\"\n",
		"    a: |9\n    "+m+"\n",
		"    a: "+m+"\n   b: "+m+"\n",
		"    "+m+"\n    a: b\n",
		"\t"+m+": "+m+"\n",
		"    a: \x00"+m+"\n",
		"    a: "+m+"\xff\n",
		"    a: {<<: "+m+"}\n",
		"    ? ["+m+"]\n    : "+m+"\n",
		"- "+m+"\n",
		"  - "+m+"\n",
	)
}
