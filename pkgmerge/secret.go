package pkgmerge

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// isSecretName reports whether the name of a file, or of a key of a ConfigMap, tells that it holds a
// secret (rules/reports: secrets).
func isSecretName(name string) bool {
	base := strings.ToLower(path.Base(name))
	if slices.Contains(secretExtensions(), path.Ext(base)) || slices.ContainsFunc(secretParts(), func(part string) bool { return strings.Contains(base, part) }) {
		return true
	}
	words := strings.FieldsFunc(base, func(r rune) bool { return r < '0' || r > '9' && r < 'a' || r > 'z' })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(secretWords(), word) })
}

// secretExtensions, secretParts and secretWords are extensions, parts and words of the names of files with secrets.
func secretExtensions() []string {
	return []string{".env", ".key", ".pem", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx"}
}

func secretParts() []string {
	return []string{
		".env.", "secret", "passw", "credential", "kubeconfig", "dockerconfig", "dockercfg", "netrc", "npmrc", "pypirc", "pgpass",
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "privatekey", "private-key", "private_key",
	}
}

func secretWords() []string { return []string{"token", "tokens", "apikey"} }

// secretFinder finds secrets in the versions of resources. It keeps the parsed versions of the
// resource that it was last used for.
type secretFinder struct {
	mutex sync.Mutex
	of    *Change
	secrecy
}

// mayHold reports whether the value at a path of a resource may hold a secret.
func (s *secretFinder) mayHold(c *Change, p *merge.Path) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.of != c {
		s.of, s.secrecy = c, c.searchSecrets((*Resource).Tree)
	}
	return s.hides(p)
}

// secrecy tells which values of a resource may hold secrets: all, or some of these versions.
type secrecy struct {
	all   bool
	trees []*merge.Finder
}

func (s secrecy) hides(p *merge.Path) bool {
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
		return cmp.Or(result, c.items[identity.Local].Node), nil
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
func (c *Change) searchSecrets(parse func(*Resource) (*yaml.Node, error)) (s secrecy) {
	for _, r := range [4]*Resource{c.Versions[identity.Origin], c.Versions[identity.Upstream], c.Versions[identity.Local], c.Result} {
		if r == nil {
			continue
		}
		if isSecretKind(r.Meta.Kind) || r.Meta.Kind == "" && (isSecretName(r.File) || c.merger.secretFiles()[r.File]) {
			return secrecy{all: true}
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
			return secrecy{all: true} // its content is unknown
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
	return kind == "ConfigMap" && contains(bytes.ToLower(text), slices.Concat(secretExtensions(), secretParts(), secretWords())...) ||
		contains(text, "Secret", "secretGenerator", "stringData", "PRIVATE", `\`)
}

// leadsToSecret reports whether a path leads into a secret, or its value has one in it.
func leadsToSecret(f *merge.Finder, p *merge.Path) bool {
	steps := p.Steps()
	var at *merge.Path
	within := false // a kind that makes Secrets, such as SealedSecret
	for i := 0; ; i++ {
		node := f.Value(at)
		if node == nil {
			return false
		}
		if i == len(steps) {
			return hasSecret(node, within)
		}
		// The finder knows the fields of a large map, in which many paths may lead.
		kind, target := yamlnode.Text(f.Value(at.Field("kind"))), yamlnode.Text(f.Value(at.Field("target").Field("kind")))
		within = within || makesSecrets(kind)
		step := steps[i]
		if isSecretKind(kind) || target == "Secret" || isSecretField(step.Field, within) {
			return true
		}
		if i+1 < len(steps) && holdsFiles(kind, step.Field) && isSecretName(steps[i+1].Field) {
			return true
		}
		if step.Keys != nil {
			at = at.Element(step.Keys)
		} else {
			at = at.Field(step.Field)
		}
	}
}

// hasSecret reports whether a value contains a secret, or the manifest of one as a text.
func hasSecret(n *yaml.Node, within bool) bool {
	n = yamlnode.Resolve(n)
	switch n.Kind {
	case yaml.ScalarNode:
		return namesSecret(n.Value)
	case yaml.MappingNode:
		if isSecret(n) {
			return true
		}
		kind := yamlnode.Text(yamlnode.Field(n, "kind"))
		within = within || makesSecrets(kind)
		for key, v := range yamlnode.Pairs(n) {
			if isSecretField(key.Value, within) || hasSecret(v, within) || holdsFiles(kind, key.Value) && hasSecretName(v) {
				return true
			}
		}
	case yaml.SequenceNode:
		return slices.ContainsFunc(n.Content, func(e *yaml.Node) bool { return hasSecret(e, within) })
	}
	return false
}

// hasSecretName reports whether a key of a mapping has the name of a file with secrets.
func hasSecretName(n *yaml.Node) bool {
	for key := range yamlnode.Pairs(yamlnode.Resolve(n)) {
		if isSecretName(key.Value) {
			return true
		}
	}
	return false
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
