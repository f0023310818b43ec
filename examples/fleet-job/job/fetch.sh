#!/bin/sh
# Puts the three versions of a package into WORK: origin and upstream of the repository
# UPSTREAM, local of the repository PACKAGES. The package is the line of packages.txt
# whose number, from 0, is JOB_COMPLETION_INDEX. Its file VERSION, which upstream's
# package has too, says which version of upstream it was made of; the new one is VERSION.
set -eu
name=$(sed -n "$((JOB_COMPLETION_INDEX + 1))p" "$(dirname "$0")/packages.txt")
[ -n "$name" ] || { echo "packages.txt has no package of number $JOB_COMPLETION_INDEX" >&2; exit 1; }
rm -rf "$WORK/packages" "$WORK/origin" "$WORK/upstream" "$WORK/local" "$WORK/merged"

git clone --quiet --depth=1 "$PACKAGES" "$WORK/packages"
cp -R "$WORK/packages/packages/$name" "$WORK/local"
export GIT_CONFIG_PARAMETERS="'advice.detachedHead=false'"
git clone --quiet --depth=1 --branch="$(cat "$WORK/local/VERSION")" "$UPSTREAM" "$WORK/origin"
git clone --quiet --depth=1 --branch="$VERSION" "$UPSTREAM" "$WORK/upstream"
echo "$name" >"$WORK/name"
