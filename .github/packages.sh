#!/usr/bin/env bash
# .github/packages.sh VERSION DIR writes what package managers read about a release into DIR, whose checksums.txt
# has the digests of the archives: resource-merge.rb, a formula of Homebrew (https://docs.brew.sh/Formula-Cookbook),
# and resource-merge.yaml, a plugin manifest of krew (https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/).
set -euo pipefail
export LC_ALL=C
version=$1
dist=$2
about='Merge a new version of a Kubernetes package into a customised copy of it'
site=https://github.com/resource-merge/resource-merge

# digest OS ARCH prints the SHA-256 of a platform's archive; it fails if there is none.
digest() { awk -v name="resource-merge_$1_$2.tar.gz" '$2 == name { print $1; found = 1 } END { exit !found }' "$dist/checksums.txt"; }

# url OS ARCH prints the address of a platform's archive.
url() { echo "$site/releases/download/$version/resource-merge_$1_$2.tar.gz"; }

# formula prints the formula.
formula() {
  cat <<END
class ResourceMerge < Formula
  desc "$about"
  homepage "$site"
  version "${version#v}"
  license "Apache-2.0"

END
  for os in macos:darwin linux:linux; do
    echo "  on_${os%:*} do"
    for arch in arm:arm64 intel:amd64; do
      sum=$(digest "${os#*:}" "${arch#*:}")
      printf '    on_%s do\n      url "%s"\n      sha256 "%s"\n    end\n' "${arch%:*}" "$(url "${os#*:}" "${arch#*:}")" "$sum"
    done
    printf '  end\n\n'
  done
  cat <<'END'
  def install
    bin.install "resource-merge"
    generate_completions_from_executable(bin/"resource-merge", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/resource-merge --version")
  end
end
END
}

# plugin prints the manifest of krew.
plugin() {
  cat <<END
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: resource-merge
spec:
  version: $version
  homepage: $site
  shortDescription: Merge new versions of packages into your copies
  description: |
    $about, field by field:
    your changes stay, upstream's arrive, and each field that both changed is named with its three values.
  platforms:
END
  for platform in {linux,darwin,windows}/{amd64,arm64}; do
    os=${platform%/*} arch=${platform#*/} bin=resource-merge
    [ "$os" != windows ] || bin=resource-merge.exe
    sum=$(digest "$os" "$arch")
    cat <<END
  - selector: {matchLabels: {os: $os, arch: $arch}}
    uri: $(url "$os" "$arch")
    sha256: $sum
    bin: $bin
END
  done
}

formula > "$dist/resource-merge.rb"
plugin > "$dist/resource-merge.yaml"
