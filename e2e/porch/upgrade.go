package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"sync"

	variants "github.com/nephio-project/porch/controllers/packagevariants/api/v1alpha1"

	"github.com/resource-merge/resource-merge/e2e/porch/fleet"
	"github.com/resource-merge/resource-merge/e2e/porch/variant"
	"github.com/resource-merge/resource-merge/e2e/porch/wrapper"
)

// componentsOfFleet is the number of components in each package of the example.
const componentsOfFleet = 2

// upgrade brings the new version of one upstream to so many packages, through a server,
// and returns what Porch notes of each. A package whose pipeline fails fails alone.
func upgrade(ctx context.Context, server *wrapper.Server, packages int) ([]variants.PackageVariant, error) {
	all, errs := make([]variants.PackageVariant, packages), make([]error, packages)
	var group sync.WaitGroup
	free := make(chan struct{}, clients)
	for i := range packages {
		free <- struct{}{}
		group.Go(func() {
			all[i], errs[i] = upgradeOne(ctx, server, i)
			<-free
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// upgradeOne brings the new version to one package.
func upgradeOne(ctx context.Context, server *wrapper.Server, number int) (variants.PackageVariant, error) {
	name := fmt.Sprintf("team-%05d", number)
	list, err := fleet.Numbered(number, componentsOfFleet, "", "text-values: \"true\"\n"+configOf(number))
	if err != nil {
		return variants.PackageVariant{}, err
	}
	answer, err := server.Evaluate(ctx, list)
	if err != nil {
		return variant.Failed(name, err), nil
	}
	return variant.Merged(name, answer.ResourceList)
}

// configOf returns the config in a team's own pipeline: some want to decide conflicts
// themselves, and one in 250 has mistyped that.
func configOf(number int) string {
	switch {
	case number%250 == 3:
		return "conflicts: fial\n"
	case number%40 == 7:
		return "conflicts: fail\n"
	}
	return ""
}

// reportOf is the one report over all variants, as kubectl gives them.
func reportOf(ctx context.Context, function string, all []variants.PackageVariant, format string) (string, error) {
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": all})
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, function, "fleet", "-", "--report", format)
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("resource-merge fleet: %w: %s", err, out)
	}
	return string(out), nil
}

// fleetReport upgrades a fleet and returns the report over it.
func (m measure) fleetReport(packages int) (string, error) {
	server, err := wrapper.Start(m.programs.Server, nil, m.programs.Function)
	if err != nil {
		return "", err
	}
	all, err := upgrade(context.Background(), server, packages)
	if stopped := server.Stop(); err == nil {
		err = stopped
	}
	if err != nil {
		return "", err
	}
	return reportOf(context.Background(), m.programs.Function, all, "text")
}
