package pkgmerge

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/secrecy"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// secretFinder finds secrets in the versions of resources. It keeps the parsed versions of the
// resource that it was last used for.
type secretFinder struct {
	mutex sync.Mutex
	of    *Change
	secrecyOf
}

// mayHold reports whether the value at a path of a resource may hold a secret.
func (s *secretFinder) mayHold(c *Change, p *merge.Path) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.of != c {
		s.of, s.secrecyOf = c, c.searchSecrets((*Resource).Tree)
	}
	return s.hides(p)
}

// secrecyOf tells which values of a resource may hold secrets: all, or some of these versions.
type secrecyOf struct {
	all   bool
	trees []*merge.Finder
}

func (s secrecyOf) hides(p *merge.Path) bool {
	return s.all || slices.ContainsFunc(s.trees, func(f *merge.Finder) bool { return leadsToSecret(f, p) })
}

// noteSecrets notes which conflicts and remarks may be about a secret, while the versions are parsed.
// result is the tree of the result, nil if that is local's version.
func (c *Change) noteSecrets(result *yaml.Node) {
	if len(c.Conflicts)+len(c.Remarks) == 0 || !c.parsed || c.follows {
		return
	}
	s := c.searchSecrets(func(r *Resource) (*yaml.Node, error) {
		if side := slices.Index(c.Versions[:], r); side >= 0 {
			return c.items[side].Node, nil
		}
		if result != nil {
			return result, nil
		}
		return c.items[identity.Local].Node, nil
	})
	if len(s.trees) == 0 {
		return
	}
	c.secrets = make(map[*merge.Path]bool, len(c.Conflicts)+len(c.Remarks))
	for _, conflict := range c.Conflicts {
		c.secrets[conflict.Path] = s.hides(conflict.Path)
	}
	for _, remark := range c.Remarks {
		c.secrets[remark.Path] = s.hides(remark.Path)
	}
}

// searchSecrets searches the versions of the resource, which a function parses.
func (c *Change) searchSecrets(parse func(*Resource) (*yaml.Node, error)) secrecyOf {
	return findSecrets([]*Resource{c.Versions[identity.Origin], c.Versions[identity.Upstream], c.Versions[identity.Local], c.Result}, c.merger.secretFiles, parse)
}

// Secrets returns a function that reports whether the value at a path of a resource in the package may hold a secret
// (rules/reports: secrets).
func (p Package) Secrets(r *Resource) func(*merge.Path) bool {
	files := func() map[string]bool { return findSecretFiles([3]Package{p}) }
	return findSecrets([]*Resource{r}, files, (*Resource).Tree).hides
}

// IsSecretFile reports whether a file of the package may hold a secret, by its name, or since a kustomization makes one of it.
func (p Package) IsSecretFile(name string) bool {
	return secrecy.File(name) || findSecretFiles([3]Package{p})[name]
}

// findSecrets finds secrets in versions of a resource, which may be nil, and which a function parses. Files are those of
// which a kustomization makes Secrets.
func findSecrets(versions []*Resource, files func() map[string]bool, parse func(*Resource) (*yaml.Node, error)) (s secrecyOf) {
	for _, r := range versions {
		if r == nil {
			continue
		}
		if isSecretKind(r.Meta.Kind) || r.Meta.Kind == "" && (secrecy.File(r.File) || files()[r.File]) {
			return secrecyOf{all: true}
		}
		text := r.item.Text()
		if text == nil {
			text, _ = r.YAML()
		}
		if text != nil && !mayNameSecret(r.Meta.Kind, text) {
			continue
		}
		tree, err := parse(r)
		if err != nil {
			return secrecyOf{all: true} // its content is unknown
		}
		s.trees = append(s.trees, merge.NewFinder(tree))
	}
	return s
}

func isSecretKind(kind string) bool { return kind == "Secret" || kind == "SecretList" }

// mayNameSecret reports whether only parsing shows whether a resource with this text holds a secret.
func mayNameSecret(kind string, text []byte) bool {
	contains := func(text []byte, parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return bytes.Contains(text, []byte(part)) })
	}
	return kind == "ConfigMap" || contains(text, "stringData", "PRIVATE", `\`) || contains(bytes.ToLower(text), "password", "token", "secret", "key")
}

// secretPlace is a place in a document, as far as that tells what is secret there.
type secretPlace struct {
	// within means below a mapping from which a controller makes Secrets, such as a SealedSecret.
	within bool
	// isOpen means that the names of fields tell what is secret: in a document without a kind, in a chart's values and in
	// the environment of a program. fields are the ones that lead to the place from there.
	isOpen bool
	fields []string
}

// in returns the place within a mapping of a kind, "" for none.
func (p secretPlace) in(kind string) secretPlace {
	if kind == "" {
		return p
	}
	return secretPlace{within: p.within || makesSecrets(kind)}
}

// field returns the place of a field.
func (p secretPlace) field(name string) secretPlace {
	switch {
	case p.isOpen:
		p.fields = append(slices.Clip(p.fields), name)
	case slices.Contains([]string{"values", "valuesObject", "valuesInline", "env", "environment"}, name):
		p.isOpen, p.fields = true, nil
	}
	return p
}

// isSecretPair reports whether a mapping has a value beside the name of a secret, as an element of env does.
func isSecretPair(name, value *yaml.Node) bool {
	return name != nil && value != nil && secrecy.Fields(name.Value, "value") && hasSecretValue(value)
}

// hasSecretValue reports whether a value may be secret, or a value in it.
func hasSecretValue(n *yaml.Node) bool {
	if n = yamlnode.Resolve(n); n.Kind == yaml.ScalarNode {
		return secrecy.IsValue(n.Value)
	}
	return slices.ContainsFunc(n.Content, hasSecretValue)
}

// leadsToSecret reports whether a path leads into a secret, or its value has one in it.
func leadsToSecret(f *merge.Finder, p *merge.Path) bool {
	steps := p.Steps()
	var at *merge.Path
	place := secretPlace{isOpen: yamlnode.Text(f.Value(at.Field("kind"))) == ""}
	for i := 0; ; i++ {
		node := f.Value(at)
		if node == nil {
			return false
		}
		if i == len(steps) {
			return hasSecret(node, place)
		}
		// The finder knows the fields of a large map, in which many paths may lead.
		kind, target := yamlnode.Text(f.Value(at.Field("kind"))), yamlnode.Text(f.Value(at.Field("target").Field("kind")))
		place = place.in(kind)
		step := steps[i]
		if isSecretKind(kind) || target == "Secret" || isSecretField(step.Field, place.within) {
			return true
		}
		if step.Keys != nil {
			at = at.Element(step.Keys)
			continue
		}
		below := at.Field(step.Field)
		if step.Field == "value" && isSecretPair(f.Value(at.Field("name")), f.Value(below)) {
			return true
		}
		if i+1 < len(steps) && holdsFiles(kind, step.Field) && isSecretKey(steps[i+1].Field, f.Value(below.Field(steps[i+1].Field))) {
			return true
		}
		at, place = below, place.field(step.Field)
	}
}

// HoldsSecret reports whether a value of a document without a kind contains a secret, whatever leads to it (rules/reports:
// secrets).
func HoldsSecret(value *yaml.Node) bool { return hasSecret(value, secretPlace{isOpen: true}) }

// hasSecret reports whether a value contains a secret, or the manifest of one as a text.
func hasSecret(n *yaml.Node, at secretPlace) bool {
	n = yamlnode.Resolve(n)
	switch n.Kind {
	case yaml.ScalarNode:
		return at.isOpen && secrecy.Fields(at.fields...) && secrecy.IsValue(n.Value) || secrecy.Assignment(n.Value) || namesSecret(n.Value)
	case yaml.MappingNode:
		kind := yamlnode.Text(yamlnode.Field(n, "kind"))
		if isSecret(n) || isSecretPair(yamlnode.Field(n, "name"), yamlnode.Field(n, "value")) {
			return true
		}
		at = at.in(kind)
		for key, v := range yamlnode.Pairs(n) {
			if isSecretField(key.Value, at.within) || hasSecret(v, at.field(key.Value)) || holdsFiles(kind, key.Value) && hasSecretKey(v) {
				return true
			}
		}
	case yaml.SequenceNode:
		return slices.ContainsFunc(n.Content, func(e *yaml.Node) bool { return hasSecret(e, at) })
	}
	return false
}

// hasSecretKey reports whether a key of a ConfigMap tells that its value is secret.
func hasSecretKey(n *yaml.Node) bool {
	for key, v := range yamlnode.Pairs(yamlnode.Resolve(n)) {
		if isSecretKey(key.Value, v) {
			return true
		}
	}
	return false
}

// isSecretKey reports whether a key of a ConfigMap, which may be the name of a file, tells that its value is secret.
func isSecretKey(key string, value *yaml.Node) bool {
	return secrecy.File(key) || secrecy.Fields(key) && (value == nil || hasSecretValue(value))
}

// isSecret reports whether a mapping is the manifest of a Secret, or a patch with a Secret as its target.
func isSecret(n *yaml.Node) bool {
	return isSecretKind(yamlnode.Text(yamlnode.Field(n, "kind"))) || yamlnode.Text(yamlnode.Field(yamlnode.Field(n, "target"), "kind")) == "Secret"
}

// makesSecrets reports whether a controller makes Secrets of resources of a kind: SealedSecret,
// ExternalSecret and the like.
func makesSecrets(kind string) bool { return strings.HasSuffix(kind, "Secret") }

// isSecretField reports whether a field holds secrets by its name. within is true below a mapping from which a
// controller makes Secrets.
func isSecretField(field string, within bool) bool {
	return field == "stringData" || field == "secretGenerator" || within && field == "data"
}

// holdsFiles reports whether the keys of a field of a kind are names of files.
func holdsFiles(kind, field string) bool {
	return (field == "data" || field == "binaryData") && kind == "ConfigMap"
}

// namesSecret reports whether a text may contain the manifest of a Secret, as a value of a ConfigMap or
// of a chart does, or a private key.
func namesSecret(text string) bool {
	return strings.Contains(text, "stringData") || strings.Contains(text, "PRIVATE KEY") ||
		strings.Contains(text, "Secret") && regexp.MustCompile(`kind["']?\s*:\s*["']?Secret`).MatchString(text)
}

// findSecretFiles finds the files from which kustomizations of any version generate or patch Secrets.
func findSecretFiles(packages [3]Package) map[string]bool {
	files := map[string]bool{}
	for _, p := range packages {
		for _, r := range p.Resources {
			tree := kustomizationTree(r)
			for _, field := range [2]string{"patches", "patchesJson6902"} {
				for _, patch := range yamlnode.Elements(yamlnode.Field(tree, field)) {
					if isSecret(yamlnode.Resolve(patch)) {
						addFiles(files, path.Dir(r.File), []*yaml.Node{yamlnode.Field(patch, "path")})
					}
				}
			}
			for _, g := range yamlnode.Elements(yamlnode.Field(tree, "secretGenerator")) {
				addFiles(files, path.Dir(r.File), sourcesOf(yamlnode.Resolve(g)))
			}
		}
	}
	return files
}

// sourcesOf returns the files that a generator of kustomize reads, without their keys.
func sourcesOf(generator *yaml.Node) []*yaml.Node {
	names := []*yaml.Node{yamlnode.Field(generator, "env")}
	for _, field := range [2]string{"files", "envs"} {
		for _, n := range yamlnode.Elements(yamlnode.Field(generator, field)) {
			names = append(names, yamlnode.String(n.Value[strings.IndexByte(n.Value, '=')+1:]))
		}
	}
	return names
}
