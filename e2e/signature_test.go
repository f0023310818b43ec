package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// release is the version of the releases that the tests sign.
const release = "v1.2.3"

// TestSignature signs checksums by the script that the release signs with, but with a
// key, and checks them by the commands of docs/releases.md. A byte that changed, or
// another key, fails them.
func TestSignature(t *testing.T) {
	s := newSigner(t)
	archive := "resource-merge_linux_amd64.tar.gz"
	dist := tree{archive: "an archive", "resource-merge_linux_arm64.tar.gz": "another"}.write(t)
	s.must(t, dist, "sha256sum resource-merge_* >checksums.txt")
	s.sign(t, filepath.Join(dist, "checksums.txt"))
	offered := readTree(t, dist)

	if output, err := s.check(t, dist, "Check a binary"); err != nil || !strings.Contains(output, archive+": OK\n") {
		t.Errorf("%v\n%s", err, output)
	}
	other := newSigner(t)
	for name, change := range map[string]func(){
		"archive":     func() { offered[archive] += " " },
		"checksums":   func() { offered["checksums.txt"] = flip(offered["checksums.txt"]) },
		"another key": func() { s.key = other.key },
	} {
		t.Run(name, func(t *testing.T) {
			before, key := maps.Clone(offered), s.key
			change()
			if output, err := s.check(t, offered.write(t), "Check a binary"); err == nil {
				t.Errorf("it is accepted:\n%s", output)
			}
			offered, s.key = before, key
		})
	}
}

// flip is a text with another first letter, which is a digit of a digest.
func flip(text string) string {
	if text[0] == '0' {
		return "1" + text[1:]
	}
	return "0" + text[1:]
}

// signer has a pair of keys, and runs scripts with it.
type signer struct{ key string }

func newSigner(t *testing.T) *signer {
	t.Helper()
	s := &signer{key: filepath.Join(t.TempDir(), "release")}
	s.must(t, t.TempDir(), cosign(t)+" generate-key-pair --output-key-prefix "+s.key)
	return s
}

// cosign is the command that .github/sign.sh calls cosign.
func cosign(t *testing.T) string {
	t.Helper()
	for line := range strings.Lines(readTree(t, filepath.Join("..", ".github"))["sign.sh"]) {
		if command, found := strings.CutPrefix(line, "cosign() { "); found {
			return strings.TrimSuffix(command, " \"$@\"; }\n")
		}
	}
	t.Fatal("sign.sh does not say what cosign is")
	return ""
}

// sign signs a subject as the release does.
func (s *signer) sign(t *testing.T, subject string) {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("..", ".github", "sign.sh"))
	if err != nil {
		t.Fatal(err)
	}
	s.must(t, t.TempDir(), script+" "+subject)
}

// must runs a script that must succeed, and returns its output.
func (s *signer) must(t *testing.T, dir, script string) string {
	t.Helper()
	output, err := s.in(t, dir).run(t, "bash", "-euc", script)
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, output)
	}
	return output
}

// in is a directory in which scripts find the keys, Go's caches, and the user's
// registries.
func (s *signer) in(t *testing.T, dir string) example {
	t.Helper()
	return example{dir: dir}.with(environment(t)...).with("COSIGN_PASSWORD=", "COSIGN_KEY="+s.key+".key",
		"GOCACHE="+goTool(t, "env", "GOCACHE"), "GOMODCACHE="+goTool(t, "env", "GOMODCACHE"))
}

// check runs the commands of a section of docs/releases.md, as a user who has nothing
// yet. GitHub has the files of offered, and the registry of images is there too.
// A signature by a key has no workflow's identity, so cosign is a script here: it checks
// that the commands name the release's identity, and passes the key instead.
func (s *signer) check(t *testing.T, offered, section string, registry ...string) (string, error) {
	t.Helper()
	programs := t.TempDir()
	identity := "--certificate-identity https://github.com/resource-merge/resource-merge/.github/workflows/release.yaml@refs/tags/" +
		release + " --certificate-oidc-issuer https://token.actions.githubusercontent.com"
	script(t, programs, "curl", fmt.Sprintf(`for url; do case $url in https://github.com/resource-merge/resource-merge/releases/download/%s/*) cp '%s'/"${url##*/}" . ;; esac; done`, release, offered))
	script(t, programs, "cosign", fmt.Sprintf(`all=" $* "
identity=" %s "
case $all in *"$identity"*) ;; *) echo "no release signs so: $all" >&2; exit 1 ;; esac
before=${all%%%%"$identity"*} after=${all#*"$identity"}
set -- $(echo "$before $after" | sed 's|ghcr.io/|%s/|')
%s "$@" --key '%s.pub' --insecure-ignore-tlog`, identity, strings.Join(registry, ""), cosign(t), s.key))
	e := s.in(t, t.TempDir()).with("PATH=" + programs + string(os.PathListSeparator) + os.Getenv("PATH"))
	return e.run(t, "bash", "-euc", strings.Join(commandsOf(t, section), "\n"))
}

// script writes a program.
func script(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// commandsOf is the commands of a section of docs/releases.md.
func commandsOf(t *testing.T, section string) []string {
	t.Helper()
	text := readTree(t, filepath.Join("..", "docs"))["releases.md"]
	_, rest, found := strings.Cut(text, "\n## "+section+"\n")
	body, _, _ := strings.Cut(rest, "\n## ")
	var commands []string
	for _, match := range block.FindAllStringSubmatch(body, -1) {
		commands = append(commands, match[2])
	}
	if !found || len(commands) == 0 {
		t.Fatalf("docs/releases.md has no commands in %q", section)
	}
	return slices.Clip(commands)
}
