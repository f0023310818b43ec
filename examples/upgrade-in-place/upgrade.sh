#!/bin/sh
# Upgrades a customised copy of a package in place:
#
#   upgrade.sh PACKAGE REPOSITORY OLD NEW
#
# PACKAGE is the directory of the copy, OLD the tag or branch of the repository
# that it was made from or last upgraded to, NEW the one to upgrade to.
set -eu
package=$1 repository=$2 old=$3 new=$4

# The two versions lie outside of the package, so that nothing has to be cleaned
# up in it, and it may have a directory of its own called origin or upstream.
versions=$(mktemp -d)
trap 'rm -rf "$versions"' EXIT

fetch() {
  git -c advice.detachedHead=false clone --quiet --depth 1 --branch "$1" "$repository" "$2"
}
fetch "$old" "$versions/origin"
fetch "$new" "$versions/upstream"

kpt fn eval "$package" --exec resource-merge --results-dir results -- \
  origin-dir="$versions/origin" upstream-dir="$versions/upstream"
