// Command oracle applies patches. It reads requests and writes answers, as
// [github.com/resource-merge/resource-merge/tests/applier] has them, in JSON.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/tests/applier"
	"github.com/resource-merge/resource-merge/tests/oracle/apply"
)

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

// serve answers requests until there are no more.
func serve(in io.Reader, out io.Writer) error {
	types, err := apply.Types()
	if err != nil {
		return err
	}
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var r applier.Request
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(answer(types, r)); err != nil {
			return err
		}
	}
}

// answer applies the patch of a request.
func answer(types *runtime.Scheme, r applier.Request) (a applier.Answer) {
	var err error
	switch r.Form {
	case patch.JSON:
		a.Resource, err = apply.JSON(r.Resource, r.Patch)
	case patch.Merge:
		a.Resource, err = apply.Merge(r.Resource, r.Patch)
	case patch.Kustomize:
		a.Resource, err = apply.Kustomize(r.Resource, r.Patch)
	case patch.Strategic:
		goType, unknown := types.New(gvk.FromAPIVersionAndKind(r.APIVersion, r.Kind))
		if unknown != nil {
			return applier.Answer{Unknown: true}
		}
		a.Resource, err = apply.Strategic(r.Resource, r.Patch, goType)
	default:
		err = fmt.Errorf("no patch has the form %q", r.Form)
	}
	if err != nil {
		a.Error = err.Error()
	}
	return a
}
