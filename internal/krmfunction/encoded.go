package krmfunction

import (
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
)

// Encoded merges a list as Run does, and tells for each item that comes out what of
// it the encoder wrote, as no text has it (design 3.6).
func Encoded(in []byte) ([][]manifest.Encoding, error) {
	list, err := resourcelist.Read(in)
	if err != nil {
		return nil, err
	}
	items, _, err := run(list, Progress(nil).ofList(len(list.Items)))
	if err != nil {
		return nil, err
	}
	told := make([][]manifest.Encoding, len(items))
	for i, item := range items {
		told[i] = item.Encodings()
	}
	return told, nil
}
