package manifest

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// BenchmarkEdit edits a text of many fields with one changed value, and reports the cost relative to parsing the text
// once.
func BenchmarkEdit(b *testing.B) {
	for _, n := range [2]int{10, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var text bytes.Buffer
			for i := range n {
				fmt.Fprintf(&text, "k%d:\n    name: web-%d # the name\n    image: nginx:1.27\n    args:\n    - --port=80\n    - \"--verbose\"\n\n", i, i)
			}
			local, upstream := text.Bytes(), bytes.Replace(text.Bytes(), []byte("1.27"), []byte("1.28"), -1)
			l, _ := Document(local)
			u, _ := Document(upstream)
			part := merged(Entry{Value: l.root}, Entry{Value: u.root}, Entry{Value: l.root})
			var took [3]time.Duration
			for b.Loop() {
				for i, work := range [3]func() error{
					func() error { return yaml.Unmarshal(local, new(yaml.Node)) },
					func() error { _, err := Document(local); return err },
					func() error { _, _, err := Edit(l, u, part); return err },
				} {
					start := time.Now()
					if err := work(); err != nil {
						b.Fatal(err)
					}
					took[i] += time.Since(start)
				}
			}
			b.ReportMetric(float64(took[1])/float64(took[0]), "read/parse")
			b.ReportMetric(float64(took[2])/float64(took[0]), "edit/parse")
		})
	}
}
