package bench

import (
	"bytes"
	"io"
	"path/filepath"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/kio/filters"
)

// Floor parses a list and writes it as kyaml's framework does, merging nothing:
// the least that a function on kyaml can take.
func Floor(in []byte, out io.Writer) error {
	nothing := func(*framework.ResourceList) error { return nil }
	return framework.Execute(framework.ResourceListProcessorFunc(nothing),
		&kio.ByteReadWriter{Reader: bytes.NewReader(in), Writer: out, KeepReaderAnnotations: true})
}

// Merge3 merges a package that Package wrote into its local directory, by kyaml.
func Merge3(dir string) error {
	return filters.Merge3{
		OriginalPath: filepath.Join(dir, "origin"),
		UpdatedPath:  filepath.Join(dir, "upstream"),
		DestPath:     filepath.Join(dir, "local"),
	}.Merge()
}
