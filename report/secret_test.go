package report_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// TestSecretsAreHidden merges what holds secrets, with random values in every place
// that can hold one: no format shows any of them (rules/reports: secrets). The test
// knows nothing of the formats.
func TestSecretsAreHidden(t *testing.T) {
	t.Parallel()
	conflicts := 0
	for n := range uint64(600 / seed.Step(4)) {
		s := secrets{r: rand.New(rand.NewPCG(n, 1))}
		result, err := pkgmerge.Merge(context.Background(), s.packages(t), pkgmerge.Options{
			Policy: pkgmerge.Prefer([]merge.Preference{merge.PreferUpstream, merge.PreferLocal, merge.PreferUnion, merge.PreferFail}[s.r.IntN(4)]),
		})
		if err != nil {
			continue // the message of an error is no report
		}
		r, err := report.New(result, report.Options{})
		if err != nil {
			t.Fatal(err)
		}
		conflicts += r.Summary.Conflicts
		for _, f := range report.Formats() {
			text := written(t, f, r)
			for _, marker := range s.markers {
				if at := strings.Index(text, marker); at >= 0 {
					t.Fatalf("%s shows %s:\n%s", f.Name, marker, text[max(0, at-300):min(len(text), at+300)])
				}
			}
		}
	}
	if conflicts < 500/seed.Step(4) {
		t.Errorf("there were only %d conflicts", conflicts)
	}
}

// secrets draws what holds secrets, and keeps what may not be shown.
type secrets struct {
	r       *rand.Rand
	markers []string
}

func (s *secrets) one(texts ...string) string { return texts[s.r.IntN(len(texts))] }

func (s *secrets) marker() string {
	m := fmt.Sprintf("hush%08x", s.r.Uint32())
	s.markers = append(s.markers, m)
	return m
}

func (s *secrets) packages(t *testing.T) (packages [3]pkgmerge.Package) {
	const other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"
	kind := s.r.IntN(4)
	shared := s.document(kind)
	for _, side := range identity.Sides() {
		text := shared
		if s.r.IntN(4) > 0 {
			text = s.document(kind)
		}
		p := &packages[side]
		if s.r.IntN(8) > 0 || side != identity.Local {
			p.Resources = append(p.Resources, s.resource(t, text))
		}
		p.Resources = append(p.Resources, s.resource(t, other))
	}
	return packages
}

func (s *secrets) resource(t *testing.T, text string) *pkgmerge.Resource {
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return pkgmerge.NewResource(s.one("a.yaml", "a.yaml", "a.yaml", "b.yaml"), 0, &n)
}

// document draws a Secret, a list with one, or a Kustomization that makes some.
func (s *secrets) document(kind int) string {
	switch kind {
	case 0:
		return "apiVersion: v1\nkind: List\nitems:\n- " + strings.TrimPrefix(indented(s.secret()), "  ")
	case 1:
		return "apiVersion: v1\nkind: SecretList\nitems:\n- " + strings.TrimPrefix(indented(s.secret()), "  ")
	case 2:
		return s.kustomization()
	}
	return s.secret()
}

func (s *secrets) secret() string {
	text := "apiVersion: v1\nkind: Secret\n" + s.one("", "# "+s.marker()+"\n") + "metadata:\n  name: db\n" +
		s.one("", "  labels: {a: "+s.marker()+"}\n") + "  annotations:\n    example.com/last: '{\"data\": \"" + s.marker() + "\"}'\n"
	for _, field := range []string{"data", "stringData", "more"} {
		if s.r.IntN(5) == 0 {
			continue
		}
		text += field + ":\n"
		for _, key := range []string{"user", "password", "token"} {
			if s.r.IntN(4) > 0 {
				text += "  " + key + ": " + s.value() + "\n"
			}
		}
		text += "  last: " + s.marker() + " # " + s.marker() + "\n"
	}
	return text + s.one("", "type: Opaque\n", "type: kubernetes.io/tls\n") + s.one("", "immutable: true\n", "# "+s.marker()+"\n")
}

// value draws a value that holds what may not be shown, in some form.
func (s *secrets) value() string {
	m := s.marker()
	return s.one(m, m, "'"+m+"'", "|\n    "+m+"\n    more", "{x: "+m+"}", "["+m+", {name: x, value: "+m+"}]", "!!binary "+m, "!own "+m, "null", "[{name: a, value: "+m+"}]", ">-\n    x\n\n    "+m)
}

func (s *secrets) kustomization() string {
	generator := "- name: db\n  literals:\n  - password=" + s.marker() + " # " + s.marker() + "\n  - user=" + s.marker() + "\n" + s.one("", "  options: {annotations: {a: "+s.marker()+"}}\n")
	list := s.one("secretGenerator:\n"+generator, "secretGenerator:\n  # "+s.marker()+"\n"+indented(generator), "secretGenerator: [{name: db, literals: [password="+s.marker()+",\n  user="+s.marker()+"]}]\n", "")
	return "apiVersion: kustomize.config.k8s.io/v1beta1\n" + s.one("kind: Kustomization\n", "kind: Component\n") + "metadata: {name: x}\n" +
		s.one("namePrefix: a-\n", "namePrefix: b-\n", "") + list + s.one("commonLabels: {a: b}\n", "commonLabels: {a: c}\n", "resources: [a]\n")
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
	return b.String()
}
