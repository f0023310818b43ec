package report_test

import (
	"context"
	"encoding/csv"
	"io"
	"log"
	"os"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/source"
)

// writeCSV writes a line of CSV for each conflict. The contents of Secrets are hidden in the report already.
func writeCSV(w io.Writer, r *report.Report) error {
	table := csv.NewWriter(w)
	for _, resource := range r.Resources {
		for _, c := range resource.Conflicts {
			values := [2]string{c.Values[identity.Upstream].Line, c.Values[identity.Local].Line}
			if err := table.Write([]string{resource.Kind, resource.Name, c.Path, values[0], values[1], c.Chosen}); err != nil {
				return err
			}
		}
	}
	table.Flush()
	return table.Error()
}

// A Format writes a report in one form.
func ExampleFormat() {
	ctx := context.Background()
	const shop = "../tests/outside/shop/"
	packages, err := source.Three(ctx, source.Dir(shop+"origin"), source.Dir(shop+"upstream"), source.Dir(shop+"local"))
	if err != nil {
		log.Fatal(err)
	}
	result, err := pkgmerge.Merge(ctx, packages, pkgmerge.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := writeReport(os.Stdout, result, report.Format{Name: "csv", Write: writeCSV}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Deployment,web,spec.replicas,2,5,upstream
	// Deployment,web,"spec.template.spec.containers[name=""web""].livenessProbe.periodSeconds",15,30,upstream
	// Secret,web,stringData.token,(hidden),(hidden),upstream
}

func writeReport(w io.Writer, result *pkgmerge.Result, format report.Format) error {
	r, err := report.New(result, report.Options{})
	if err != nil {
		return err
	}
	return format.Write(w, r)
}
