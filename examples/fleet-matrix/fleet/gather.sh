#!/bin/sh
# Writes one report over all packages, in Markdown: what became of each, and which fields
# were changed by both sides, in how many packages. RESULTS has a directory for each
# package, and the packages that are named and have none have failed:
#
#   fleet/gather.sh RESULTS PACKAGE...
set -eu
results=$1
shift
echo "| package | changed | added | deleted | conflicts |"
echo "|---|---:|---:|---:|---:|"
for package; do
  name=${package#packages/}
  if [ -s "$results/$name/report.json" ]; then
    jq --raw-output --arg name "$name" '.summary | "| \($name) | \(.changed) | \(.added) | \(.deleted) | \(.conflicts) |"' \
      "$results/$name/report.json"
  else
    echo "| $name | failed | | | |"
  fi
done
echo
echo "| both sides changed | in packages |"
echo "|---|---:|"
cat "$results"/*/report.json | jq --raw-output --slurp '
  [.[] | [.conflicts[]? | "\(.resource.kind) `\(.path)`"] | unique[]]
  | group_by(.) | sort_by(-length, .[0])[] | "| \(.[0]) | \(length) |"'
