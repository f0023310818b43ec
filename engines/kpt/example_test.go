package kpt_test

import (
	"fmt"
	"log"
	"os"

	"github.com/resource-merge/resource-merge/engines/kpt"
)

// options are kpt's, of whatever version. kpt's own updaters get them.
type options = kpt.Options

// strategies is the table in which kpt looks for an updater.
func strategies() map[string]interface{ Update(options) error } {
	return map[string]interface{ Update(options) error }{
		"resource-merge": kpt.Updater[options]{Report: kpt.Print(os.Stdout)},
	}
}

// An Updater takes the place of kpt's.
func ExampleUpdater() {
	copied, err := os.MkdirTemp("", "copy")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(copied)
	const shop = "../../tests/outside/shop/"
	if err := os.CopyFS(copied, os.DirFS(shop+"local")); err != nil {
		log.Fatal(err)
	}
	err = strategies()["resource-merge"].Update(options{
		RelPackagePath: ".", LocalPath: copied, OriginPath: shop + "origin", UpdatedPath: shop + "upstream", IsRoot: true,
	})
	fmt.Println("error:", err)
	// Output:
	// [warning] Deployment web spec.replicas: upstream set it to 2, you to 5; upstream's was taken
	// [warning] Deployment web spec.template.spec.containers[name="web"].livenessProbe.periodSeconds: upstream set it to 15, you to 30; upstream's was taken
	// [warning] Secret web stringData.token: both sides changed it; upstream's was taken
	// error: <nil>
}
