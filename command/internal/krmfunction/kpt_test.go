package krmfunction

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/fn/runtime/runtimeutil"
	"sigs.k8s.io/kustomize/kyaml/kio"
)

// underKpt runs the function on a package of one file a side as `kpt fn eval`
// does, and returns local's file afterwards.
func underKpt(t *testing.T, sides [3]string) (string, error) {
	t.Helper()
	files := map[string]string{"origin/a.yaml": sides[0], "upstream/a.yaml": sides[1], "a.yaml": sides[2]}
	return evaluated(t, files, func(in []byte) ([]byte, error) { return Run(in, nil) })
}

// evaluated is the file a.yaml of a package after a function. What kpt does with
// comments and the order of keys is kyaml's FunctionFilter.
func evaluated(t *testing.T, files map[string]string, function func([]byte) ([]byte, error)) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pkg := &kio.LocalPackageReadWriter{PackagePath: dir, PreserveSeqIndent: true, WrapBareSeqNode: true}
	err := kio.Pipeline{
		Inputs: []kio.Reader{pkg},
		Filters: []kio.Filter{&runtimeutil.FunctionFilter{GlobalScope: true, Run: func(in io.Reader, out io.Writer) error {
			data, err := io.ReadAll(in)
			if err != nil {
				return err
			}
			list, err := function(data)
			if err != nil {
				return err
			}
			_, err = out.Write(list)
			return err
		}}},
		Outputs: []kio.Writer{pkg},
	}.Execute()
	if err != nil {
		return "", err
	}
	after, err := os.ReadFile(filepath.Join(dir, "a.yaml"))
	return string(after), err
}
