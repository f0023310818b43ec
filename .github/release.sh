#!/usr/bin/env bash
# .github/release.sh VERSION DIR [OS/ARCH...] builds what a release offers into DIR,
# which must lie outside of the repository: an archive per platform, with its SBOM
# (CycloneDX), the checksums of all, and notes.md, VERSION's section of
# CHANGELOG.md; with all platforms also a Homebrew formula and a krew manifest
# (packages.sh). VERSION is a tag such as v1.2.3, or Unreleased to try it out. It
# needs Go, jq and GNU tar.
#
# The same commit, tags and Go give the same bytes, on any machine, in any directory:
# what a user's settings of Go, mask of permissions, and language would change is set
# here. .ci/run builds twice and compares.
set -euo pipefail
umask 022
export LC_ALL=C CGO_ENABLED=0 GOAMD64=v1 GOARM64=v8.0 GOWORK=off GOFLAGS=-trimpath
version=$1
mkdir -p "$2"
dist=$(cd "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- {linux,darwin,windows}/{amd64,arm64}
cd "$(dirname "$0")/.."

# notes prints the section of CHANGELOG.md about the version.
notes() {
  awk -v heading="## [${version#v}]" '
    index($0, "## [") == 1 { inside = index($0, heading) == 1; next }
    inside' CHANGELOG.md
}

# sbom BINARY lists the modules that Go recorded in a binary, as CycloneDX.
sbom() {
  go version -m -json "$1" | jq --arg version "$version" '
    def component(type): {
      type: type, "bom-ref": "pkg:golang/\(.Path)@\(.Version)", name: .Path, version: .Version,
      purl: "pkg:golang/\(.Path)@\(.Version)"
    };
    (.Main + {Version: $version} | component("application")) as $main
    | [.Deps[] | (.Replace // .) | component("library")] as $modules
    | ({Path: "std", Version: (.GoVersion | ltrimstr("go"))} | component("library")) as $std
    | {
      bomFormat: "CycloneDX", specVersion: "1.6", version: 1,
      metadata: {component: $main},
      components: ($modules + [$std]),
      dependencies: [{ref: $main["bom-ref"], dependsOn: ($modules + [$std] | map(.["bom-ref"]))}]
    }'
}

# build OS ARCH makes the archive of a platform and its SBOM. --version prints the tag
# of the commit. The files are as old as the commit, and nobody's.
build() {
  local name=resource-merge_$1_$2 binary=resource-merge work
  [ "$1" != windows ] || binary=resource-merge.exe
  work=$(mktemp -d)
  GOOS=$1 GOARCH=$2 go build -buildvcs=true -ldflags="-s -w -buildid=" -o "$work/$binary" .
  cp LICENSE README.md "$work"
  sbom "$work/$binary" > "$dist/$name.cdx.json"
  tar --format=gnu --sort=name --mode=u+rw,go=rX --owner=0 --group=0 --numeric-owner \
    --mtime="@$(git log -1 --format=%ct)" \
    -C "$work" -cf - LICENSE README.md "$binary" | gzip -n > "$dist/$name.tar.gz"
  rm -r "$work"
}

notes > "$dist/notes.md"
grep -q '[^[:space:]]' "$dist/notes.md" || { echo "CHANGELOG.md has no section for $version" >&2; exit 1; }
for platform in "$@"; do
  build "${platform%/*}" "${platform#*/}"
done
(cd "$dist" && sha256sum resource-merge_* > checksums.txt && cat checksums.txt)
[ $# -lt 6 ] || .github/packages.sh "$version" "$dist" # they name all platforms
