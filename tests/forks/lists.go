package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeList writes the upgrades of a copy as the list that resource-merge learn reads, with the versions as archives beside it.
func (d *finder) writeList(ctx context.Context, f fork, upgrades []upgrade, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var lines strings.Builder
	for _, u := range upgrades {
		from, err := d.writeVersion(ctx, f, u.from, dir)
		if err != nil {
			return err
		}
		to, err := d.writeVersion(ctx, f, u.to, dir)
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s %s %s\n", u.commit, from, to)
	}
	return os.WriteFile(filepath.Join(dir, "upgrades.txt"), []byte(lines.String()), 0o644)
}

// writeVersion writes a version of upstream as an archive, and returns its name.
func (d *finder) writeVersion(ctx context.Context, f fork, version, dir string) (name string, err error) {
	name = filepath.Join(dir, version)
	revision := []string{"show", "HEAD:" + version}
	if !strings.HasSuffix(f.upstreamDir, ".tgz") {
		name += ".tgz"
		revision = []string{"archive", "--format=tgz", version + ":" + strings.TrimSuffix(f.upstreamDir, "/")}
	}
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	text, err := d.upstream.Git(ctx, revision...)
	return name, cmp.Or(err, os.WriteFile(name, []byte(text), 0o644))
}
