#!/bin/sh
# Merges a file of Kubernetes resources for git, field by field:
#
#   driver.sh BASE OURS THEIRS PATH
#
# As git wants it of a merge driver, the merged file replaces OURS, and the exit
# code is not 0 if somebody has to look at it. What the function refuses is merged
# line by line, as git would without a driver.
set -eu
base=$1 ours=$2 theirs=$3 path=$4

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

by_lines() {
  echo "$path: $1; merging it line by line" >&2
  git merge-file -L ours -L base -L theirs "$ours" "$base" "$theirs"
  exit
}

# Without a common ancestor every field would be new on both sides.
[ -s "$base" ] || by_lines "is new on both sides"

# A document becomes an item, and an item a document again, by its indentation
# alone: so the documents that the merge leaves alone keep every byte. What does
# not fit into that is not for us.
for side in "$base" "$ours" "$theirs"; do
  if grep -q -e '^---.' -e '^\.\.\.' -e '^%' -e "$(printf '\r')" "$side"; then
    by_lines "has document markers or line ends of an unusual kind"
  fi
done

# What stands above the first document, as a licence and an empty line or a `---`
# do, belongs to none of them, and is text.
head_of() {
  awk '/^[^#]/ && !/^---$/ {exit} {text = text $0 "\n"} /^$|^---$/ {printf "%s", text; text = ""}' "$1"
}
head_of "$base" >"$tmp/head.base"
head_of "$ours" >"$tmp/head"
head_of "$theirs" >"$tmp/head.theirs"
git merge-file --quiet "$tmp/head" "$tmp/head.base" "$tmp/head.theirs" || by_lines "differs above its first document"
body_of() { tail -n "+$(($(head_of "$1" | wc -l) + 1))" "$1"; }

# The function reads the two other sides from directories, under the name that
# its messages shall have.
name=$(basename "$path")
mkdir "$tmp/origin" "$tmp/upstream"
body_of "$base" >"$tmp/origin/$name"
body_of "$theirs" >"$tmp/upstream/$name"
{
  cat <<'EOF'
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: ResourceMerge
  metadata: {name: git-merge-driver}
  sources:
    origin: {dir: origin}
    upstream: {dir: upstream}
  conflicts: {prefer: local} # until somebody has looked at it
  mergeComment: false
items:
EOF
  body_of "$ours" | awk '/^---$/ {mark = "- "; next} NR == 1 {mark = "- "} {print mark $0; mark = "  "}'
} >"$tmp/list"

(cd "$tmp" && resource-merge list) >"$tmp/merged" 2>"$tmp/error" || by_lines "$(cat "$tmp/error")"

# Items that were added say in annotations where they were; these go again.
{
  cat "$tmp/head"
  awk -f "$(dirname "$0")/documents.awk" "$tmp/merged"
} >"$ours"

sed -n '/^results:/,$p' "$tmp/merged" >"$tmp/results"
if grep -q '^    conflict: ' "$tmp/results"; then
  echo "$path: ours was kept where both sides changed something:" >&2
  cat "$tmp/results" >&2
  exit 1
fi
