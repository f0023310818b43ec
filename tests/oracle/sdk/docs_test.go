// Package sdk compares the documentation that the program prints with the SDK's for functions.
package sdk

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kptdev/krm-functions-sdk/go/fn"

	"github.com/resource-merge/resource-merge/command"
)

// The documentation is, byte for byte, the output of krm-functions-sdk.
func TestDocsAreTheSDKs(t *testing.T) {
	p := command.Program{Readme: read(t, "README.md"), Metadata: read(t, "metadata.yaml")}
	for _, args := range [][]string{{"--help"}, {"--doc"}, {"--doc", "--help"}} {
		var got bytes.Buffer
		if err := p.Run(args, nil, &got, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(bySDK(t, p, args)), got.String()); diff != "" {
			t.Errorf("%v: %s", args, diff)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// bySDK returns the output of the SDK, which reads the process's arguments and writes to
// its stdout.
func bySDK(t *testing.T, p command.Program, args []string) []byte {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	wasArgs, wasStdout := os.Args, os.Stdout
	defer func() { os.Args, os.Stdout = wasArgs, wasStdout }()
	os.Args, os.Stdout = append([]string{"resource-merge"}, args...), file
	nothing := fn.ResourceListProcessorFunc(func(*fn.ResourceList) (bool, error) { return true, nil })
	if err := fn.AsMain(nothing, fn.WithDocs(p.Readme, p.Metadata)); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
