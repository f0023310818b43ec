package function_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command/function"
)

// The error of a config is the one that the function has for it among its results.
func TestCheckConfig(t *testing.T) {
	const kind = "{apiVersion: fn.kpt.dev/v1alpha1, kind: ResourceMerge, "
	for text, want := range map[string]string{
		"":                               "",
		"# nothing\n":                    "",
		kind + "}":                       "",
		kind + "strategy: copy-merge}":   "",
		kind + "strategy: copy}":         `functionConfig: strategy: "copy" is not allowed, allowed are resource-merge, fast-forward, force-delete-replace, copy-merge, apply, server-side-apply`,
		kind + "conflicts: {prefr: mine": "functionConfig is not YAML: ",
		kind + "conflicts: {prefr: x}}":  `functionConfig: conflicts.prefr: there is no key "prefr", allowed are prefer, rules; did you mean prefer?`,
		"{kind: ConfigMap, data: {conflicts: local}}": "",
	} {
		err := function.CheckConfig([]byte(text))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
		if want == "" || !strings.HasPrefix(want, "functionConfig: ") {
			continue
		}
		list := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: " + text + "\nitems: []\n"
		out, ran := function.Run([]byte(list))
		if ran == nil || ran.Error() != err.Error() || !bytes.Contains(out, []byte("severity: error")) {
			t.Errorf("%s: the function says %v\n%s", text, ran, out)
		}
	}
}
