package report

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/overlay"
)

// OverlayResults are what an overlay came to as results of a KRM function: the summary first,
// then what the overlay does not say, and, if it is over a new upstream, what became of each
// change of the fork; warnings before infos (design 16.5). first are results of the
// caller's.
func OverlayResults(made *overlay.Overlay, base string, isNew bool, first framework.Results) framework.Results {
	results := append(first, about(made.Merged.Notices, isAboutInput)...)
	counts := map[overlay.Word]int{}
	for _, s := range made.Standings {
		counts[s.Word]++
		if isNew {
			results = append(results, standingResult(s))
		}
	}
	for _, u := range made.Unsaid {
		results = append(results, &framework.Result{Severity: framework.Warning, Message: wording.Cut("not said: "+u.String(), MaxMessage)})
	}
	if fields := transforming(made); fields != nil {
		results = append(results, &framework.Result{
			Severity: framework.Info, Message: "what upstream adds later gets what the overlay gives to all resources, too: " + strings.Join(fields, ", "),
		})
	}
	slices.SortStableFunc(results, func(a, b *framework.Result) int { return rank(a) - rank(b) })
	summary := fmt.Sprintf("overlay over %s: %s", base, wording.Plural(len(made.Files), "file"))
	if isNew {
		summary += fmt.Sprintf("; %d needed, %d redundant, %d colliding, %d dead",
			counts[overlay.Needed], counts[overlay.Redundant], counts[overlay.Colliding], counts[overlay.Dead])
	}
	return slices.Insert(results, 0, &framework.Result{Severity: framework.Info, Message: wording.Cut(summary, MaxMessage)})
}

// transforming are the fields of an overlay's kustomization that are about all resources.
func transforming(made *overlay.Overlay) (fields []string) {
	var k yaml.Node
	if err := yaml.Unmarshal(made.Files[0].Data, &k); err != nil || len(k.Content) == 0 {
		return nil
	}
	for _, name := range yamlnode.Names(k.Content[0]) {
		switch name {
		case "namespace", "namePrefix", "nameSuffix", "labels", "commonLabels", "commonAnnotations":
			fields = append(fields, name)
		}
	}
	return fields
}

// standingResult tells of one change of the fork. A change that is lost, and one that upstream
// has made otherwise, is a warning.
func standingResult(s overlay.Standing) *framework.Result {
	t := s.Resource
	r := &framework.Result{
		Severity: framework.Info, Tags: map[string]string{"standing": string(s.Word)},
		ResourceRef: &kyaml.ResourceIdentifier{
			TypeMeta: kyaml.TypeMeta{APIVersion: t.APIVersion, Kind: t.Kind},
			NameMeta: kyaml.NameMeta{Name: t.Name, Namespace: t.Namespace},
		},
	}
	who, said := t.Kind+" ", ": "+string(s.Word)+": "+standingSentence(s.Word)
	if t.Namespace != "" {
		who += t.Namespace + "/"
	}
	who = wording.Cut(who+t.Name, maxWho)
	if s.Path != "" {
		r.Field = &framework.Field{Path: s.Path}
		who += wording.CutFront(" "+s.Path, max(MaxMessage-len(who)-len(said), minPath))
	}
	r.Message = who + said
	if s.Word == overlay.Colliding || s.Word == overlay.Dead {
		r.Severity = framework.Warning
	}
	if s.Word == overlay.Colliding && s.Path != "" && !s.Secret {
		r.Field.CurrentValue, r.Field.ProposedValue = shown(s.Values[identity.Local]), shown(s.Values[identity.Upstream])
		if o := s.Values[identity.Origin]; o != nil {
			r.Tags["origin"] = shownText(o)
		}
	}
	return r
}

// standingSentence says what upstream made of a change.
func standingSentence(w overlay.Word) string {
	switch w {
	case overlay.Redundant:
		return "upstream has it too, so the overlay leaves it out"
	case overlay.Colliding:
		return "upstream changed it otherwise, and the overlay has local's version"
	case overlay.Dead:
		return "upstream dropped the resource, so the overlay leaves it out"
	}
	return "upstream does not have it"
}
