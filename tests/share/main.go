// Command share prints how much of the text of packages is plain, that is known without
// the YAML parser (rules/reading: skimming): of each directory that it is given, a row
// of a Markdown table.
//
//	go run ./tests/share ~/src/argo-cd/manifests ~/src/metallb/config
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/stream"
)

func main() {
	fmt.Println("| package | documents | KB | compared without the parser | nodes made without the parser |")
	fmt.Println("|---|---:|---:|---:|---:|")
	for _, dir := range os.Args[1:] {
		s, err := shareOf(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, "share:", err)
			os.Exit(1)
		}
		fmt.Printf("| %s | %d | %d | %s | %s |\n", dir, s.documents, s.bytes/1000, s.percent(s.skimmed), s.percent(s.treed))
	}
}

// share is the documents of a directory, and of how many bytes of them who they are,
// and of how many the nodes, are known without the parser.
type share struct{ documents, bytes, skimmed, treed int }

func (s share) percent(part int) string {
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(1, s.bytes)))
}

// shareOf reads all files of a directory that are YAML by their names.
func shareOf(dir string) (s share, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || !entry.Type().IsRegular() || ext != ".yaml" && ext != ".yml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, d := range stream.Read(data).Documents {
			if !d.IsEmpty() {
				s.add(d.Text)
			}
		}
		return nil
	})
	return s, err
}

func (s *share) add(text []byte) {
	s.documents++
	s.bytes += len(text)
	if manifest.SkimDocument(text) != nil {
		s.skimmed += len(text)
	}
	if manifest.DocumentTree(text) != nil {
		s.treed += len(text)
	}
}
