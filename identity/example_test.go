package identity_test

import (
	"fmt"
	"log"

	"github.com/resource-merge/resource-merge/identity"
)

// Local renamed the Deployment and kept the merge comment; upstream added a
// Service.
func ExampleMatch() {
	deployment := func(name, comment string) identity.Entry {
		return identity.Entry{Path: "web.yaml", Meta: identity.Meta{
			APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: name, Comment: comment,
		}}
	}
	service := identity.Entry{Path: "web.yaml", Meta: identity.Meta{
		APIVersion: "v1", Kind: "Service", Namespace: "shop", Name: "web",
	}}
	found, err := identity.Match([3][]identity.Entry{
		identity.Origin:   {deployment("web", "")},
		identity.Upstream: {deployment("web", ""), service},
		identity.Local:    {deployment("web-eu", "# kpt-merge: shop/web")},
	}, identity.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range found.Triples {
		fmt.Print(t.ID, ":")
		for _, side := range identity.Sides() {
			if t.Has(side) {
				fmt.Print(" ", side)
			}
		}
		fmt.Println()
	}
	// Output:
	// apps/Deployment shop/web: origin upstream local
	// Service shop/web: upstream
}

func ExampleParseComment() {
	c, err := identity.ParseComment("# kpt-merge: shop/web")
	fmt.Println(c.Namespace, c.Name, err)
	_, err = identity.ParseComment("# kpt-merge: web")
	fmt.Println(err)
	// Output:
	// shop web <nil>
	// malformed merge comment "# kpt-merge: web", want `# kpt-merge: namespace/name`
}
