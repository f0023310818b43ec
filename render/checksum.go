package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// checksums tells which annotations hold a checksum of a ConfigMap or Secret that local edited: the renderer
// made it of upstream's, so it does not follow local's edits.
func (r *Renders) checksums(result *pkgmerge.Result) (notices []pkgmerge.Notice, err error) {
	edited, err := r.editedSources(result)
	if err != nil || len(edited) == 0 {
		return nil, err
	}
	for _, c := range result.Changes {
		if c.Result == nil {
			continue
		}
		tree, err := c.Result.Tree()
		if err != nil {
			return nil, err
		}
		for _, text := range staleChecksums(tree, edited) {
			notices = append(notices, pkgmerge.Notice{Change: c, Text: text})
		}
	}
	return notices, nil
}

// staleChecksums describes the checksums in a resource that may be of edited ConfigMaps and Secrets.
func staleChecksums(tree *yaml.Node, edited []string) (texts []string) {
	found := checksumsIn(tree, nil)
	if len(found) == 0 {
		return nil
	}
	used := references(tree)
	for _, checksum := range found {
		if of := checksum.of(used, edited); len(of) > 0 {
			texts = append(texts, fmt.Sprintf("%s is the checksum of upstream's %s, which you edited", checksum.path, strings.Join(of, " and ")))
		}
	}
	return texts
}

// editedSources returns the kinds and names of the ConfigMaps and Secrets that local edited.
func (r *Renders) editedSources(result *pkgmerge.Result) (edited []string, err error) {
	for _, c := range result.Changes {
		if kind := c.Newest().Meta.Kind; c.Result != nil && c.Has(identity.Origin) && c.Has(identity.Local) && (kind == "ConfigMap" || kind == "Secret") {
			isEdited, err := r.isEdited(c)
			if err != nil {
				return nil, err
			}
			if isEdited {
				edited = append(edited, kind+" "+c.Result.Meta.Name)
			}
		}
	}
	return edited, nil
}

// isEdited reports whether local's version of a resource differs from origin's in more than random fields.
func (r *Renders) isEdited(c *pkgmerge.Change) (bool, error) {
	versions, _, err := c.Contents()
	if err != nil {
		return false, err
	}
	origin := yamlnode.Clone(versions[identity.Origin])
	for _, f := range r.fieldsOf(c) {
		if l := merge.NewFinder(versions[identity.Local]).Value(f.path); l != nil {
			put(origin, f.path, l)
		}
	}
	return !merge.Same(origin, versions[identity.Local]), nil
}

// checksum is an annotation that seems to hold a checksum.
type checksum struct {
	path *merge.Path
	name string
}

// checksumsIn returns the checksums in the annotations of a resource, and of its templates.
func checksumsIn(n *yaml.Node, at *merge.Path) (found []checksum) {
	digest := regexp.MustCompile(`^(sha256:)?[0-9a-f]{32,128}$`)
	annotations := yamlnode.Annotations(n)
	for _, name := range yamlnode.Names(annotations) {
		value := yamlnode.Text(yamlnode.Field(annotations, name))
		if strings.Contains(strings.ToLower(name), "checksum") || digest.MatchString(value) {
			found = append(found, checksum{at.Field("metadata").Field("annotations").Field(name), name})
		}
	}
	for _, name := range [3]string{"spec", "jobTemplate", "template"} {
		if below := yamlnode.Field(n, name); below != nil && below.Kind == yaml.MappingNode {
			found = append(found, checksumsIn(below, at.Field(name))...)
		}
	}
	return found
}

// of returns the edited ConfigMaps and Secrets that it may be the checksum of: the ones that the resource
// uses, and all if it uses none.
func (c checksum) of(used []string, edited []string) (of []string) {
	for _, object := range edited {
		isOther := strings.Contains(strings.ToLower(c.name), "secret") && strings.HasPrefix(object, "ConfigMap ")
		if !isOther && (len(used) == 0 || slices.Contains(used, object)) {
			of = append(of, object)
		}
	}
	return of
}

// references returns the ConfigMaps and Secrets that the pods of a resource use.
func references(tree *yaml.Node) (used []string) {
	yamlnode.Walk(tree, func(n *yaml.Node) {
		if n.Kind != yaml.MappingNode {
			return
		}
		for _, kind := range [2]string{"ConfigMap", "Secret"} {
			for _, ending := range [3]string{"", "Ref", "KeyRef"} {
				source := yamlnode.Field(n, strings.ToLower(kind[:1])+kind[1:]+ending)
				for _, name := range [2]string{"name", "secretName"} {
					if text := yamlnode.Text(yamlnode.Field(source, name)); text != "" {
						used = append(used, kind+" "+text)
					}
				}
			}
		}
	})
	return used
}
