#!/bin/sh
# Upgrades a package of this repository in place:
#
#   ci/upgrade.sh PACKAGE VERSION
#
# PACKAGE/upstream.env says where upstream is and which version the package has.
# The results go to results/results.yaml. Conflicts do not fail it: see
# ci/conflicts.sh.
set -eu
package=$1 new=$2
. "./$package/upstream.env"

# kpt runs this command with the package on its input. Nothing of the machine
# is in the container: no network, no files, no root.
: "${RESOURCE_MERGE:=docker run --rm -i --network none --user nobody --read-only --cap-drop ALL ghcr.io/resource-merge/resource-merge}"

# The container sees no directory, so the two versions lie in the package while
# it runs. They go even when something fails.
clean() { rm -rf "$package/origin" "$package/upstream"; }
trap clean EXIT
clean

fetch() {
  git -c advice.detachedHead=false clone --quiet --depth 1 --branch "$1" "$REPOSITORY" "$package/$2"
  rm -rf "$package/$2/.git"
}
fetch "$VERSION" origin
fetch "$new" upstream

# eval, and not source, docker and sink: a pipe drops the licences above the
# first resource of a file, and knows no results. A run that fails leaves the
# package as it is.
kpt fn eval "$package" --exec "$RESOURCE_MERGE" --results-dir results

sed "s|^VERSION=.*|VERSION=$new|" "$package/upstream.env" >results/upstream.env
mv results/upstream.env "$package/upstream.env"
