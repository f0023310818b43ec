#!/usr/bin/env bash
# Installs a release of resource-merge for the steps that follow, by the checksum of its archive. The variables are
# the inputs of action.yml: VERSION, CHECKSUM, and ACTION_REF, the ref of the action.
set -euo pipefail

# fail MESSAGE ends with a message, which is data.
fail() {
  printf 'resource-merge: %s\n' "$1" >&2
  exit 1
}

repository=resource-merge/resource-merge
release='^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$'
version=${VERSION:-}
if [ -z "$version" ] && [[ ${ACTION_REF:-} =~ $release ]]; then
  version=$ACTION_REF
elif [ -z "$version" ] && [[ ${ACTION_REF:-} =~ ^v[0-9]+(\.[0-9]+)?$ ]]; then # the newest release of v1, or of v1.2
  version=$(gh release list --repo "$repository" --exclude-drafts --exclude-pre-releases --limit 1000 --json tagName --jq '.[].tagName' |
    grep "^${ACTION_REF//./\\.}\\." | sort --version-sort | tail -n 1) || fail "there is no release of $ACTION_REF"
elif [ -z "$version" ]; then
  version=$(gh release view --repo "$repository" --json tagName --jq .tagName)
fi
[[ $version =~ $release ]] || fail "the version '$version' is no release such as v1.2.3"

case $(uname -s) in
Linux) os=linux binary=resource-merge ;;
Darwin) os=darwin binary=resource-merge ;;
MINGW* | MSYS* | CYGWIN*) os=windows binary=resource-merge.exe ;;
*) fail "there is no release for $(uname -s)" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "there is no release for $(uname -m)" ;;
esac
archive=resource-merge_${os}_$arch.tar.gz

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
gh release download "$version" --repo "$repository" --dir "$dir" --pattern "$archive" --pattern checksums.txt
expected=${CHECKSUM:-$(awk -v name="$archive" '$2 == name { print $1 }' "$dir/checksums.txt")}
if command -v sha256sum >/dev/null; then
  actual=$(sha256sum <"$dir/$archive")
else
  actual=$(shasum -a 256 <"$dir/$archive")
fi
actual=${actual%% *}
[ "$expected" = "$actual" ] || fail "$archive of $version has the checksum $actual, and not '$expected': it is not installed"

bin=${RUNNER_TEMP:?}/resource-merge-$version/bin
mkdir -p "$bin"
tar -xzf "$dir/$archive" -C "$bin" "$binary"
printf '%s\n' "$bin" >>"$GITHUB_PATH"
printf 'resource-merge: installed %s\n' "$version"
