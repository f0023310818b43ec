#!/bin/sh
# Prints the packages of the fleet as a list for a matrix: the directories of packages/
# that have a Kptfile, in at most PARTS parts of one size, with a space between two
# packages. A matrix of GitHub has at most 256 jobs:
#
#   fleet/find.sh PARTS
set -eu
for kptfile in packages/*/Kptfile; do
  dirname "$kptfile"
done | jq --raw-input --slurp --compact-output --argjson parts "$1" '
  rtrimstr("\n") / "\n" | [_nwise((length / $parts) | ceil) | join(" ")]'
