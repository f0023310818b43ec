// Command resource-merge merges a new version of a Kubernetes package into a customised copy of it.
package main

import (
	_ "embed"
	"os"

	"github.com/resource-merge/resource-merge/command"
)

//go:embed README.md
var readme []byte

//go:embed metadata.yaml
var metadata []byte

// release is set by -ldflags "-X main.release=v1.2.3".
var release string

func main() { os.Exit(command.Program{Readme: readme, Metadata: metadata, Release: release}.Main()) }
