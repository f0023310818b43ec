package fleet

import (
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
)

// Variant returns a team's copy of upstream's first version. Every number's copy has a
// namespace and a mirror of the images of its own, and most copies have customisations of
// some components.
func Variant(number, components int) (Files, error) {
	files, err := Upstream("v1", components)
	if err != nil {
		return nil, err
	}
	draw := rand.New(rand.NewPCG(uint64(number), 22))
	for _, name := range files.Names() {
		kind := path.Base(name)
		text := files[name]
		for _, edit := range everywhere(number) {
			text = edit.in(text)
		}
		for _, custom := range customs() {
			if custom.file == kind && draw.IntN(100) < custom.percent {
				text = custom.edit(draw).in(text)
			}
		}
		files[name] = text
		if kind == "budget.yaml" && draw.IntN(100) < 5 {
			delete(files, name)
		}
	}
	return files, nil
}

// edit replaces the first text by the second.
type edit struct{ from, to string }

func (e edit) in(text string) string { return strings.Replace(text, e.from, e.to, 1) }

// everywhere returns the edits of a copy that apply to all of its files.
func everywhere(number int) []edit {
	namespace := fmt.Sprintf("team-%05d", number)
	return []edit{
		{"metadata:\n", fmt.Sprintf("metadata:\n  namespace: %s # of the team\n", namespace)},
		{"registry.example.com/shop/shop", "mirror.example.com/shop/shop"},
		{"registry.example.com/shop/metrics", "mirror.example.com/shop/metrics"},
	}
}

// custom is an edit of a file in some percent of the copies.
type custom struct {
	file    string
	percent int
	edit    func(*rand.Rand) edit
}

// customs are the customisations. The last five collide with changes of upstream's.
func customs() []custom {
	return []custom{
		{"deployment.yaml", 50, one("replicas: 2", "replicas: 3", "replicas: 5 # two zones")},
		{"deployment.yaml", 20, one("            - name: CACHE_SIZE\n", "            - name: REGION\n              value: eu-1\n            - name: CACHE_SIZE\n")},
		{"deployment.yaml", 10, one("cpu: 100m", "cpu: 250m", "cpu: 500m")},
		{"service.yaml", 10, one("      targetPort: http\n", "      targetPort: http\n    - name: admin\n      port: 8081\n")},
		{"config.yaml", 30, one("currency: EUR", "currency: USD", "currency: CHF")},
		{"config.yaml", 10, one("workers=4", "workers=8", "workers=16")},
		{"deployment.yaml", 10, one("memory: 256Mi", "memory: 512Mi", "memory: 512Mi", "memory: 1Gi")},
		{"deployment.yaml", 8, one("periodSeconds: 10", "periodSeconds: 20", "periodSeconds: 60 # pages at night")},
		{"deployment.yaml", 5, one("value: info", "value: debug")},
		{"deployment.yaml", 3, one("        - name: metrics\n          image: mirror.example.com/shop/metrics:0.4.1\n          args: [\"--listen=:9090\"]\n", "")},
		{"config.yaml", 5, one("timeout: 30s", "timeout: 60s", "timeout: 90s")},
	}
}

// one is an edit to one of some texts.
func one(from string, to ...string) func(*rand.Rand) edit {
	return func(draw *rand.Rand) edit { return edit{from, to[draw.IntN(len(to))]} }
}
