#!/bin/sh
# upgrade.sh [PACKAGE]... updates packages to their newest versions, pushes a branch for each, and writes the text for
# its pull request to results/, in a file with the name of the branch. It needs git and jq.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for package; do
  set -- "$@" --package "$package"
  shift
done
# The pull requests go into the branch that is checked out, or into origin's default branch where CI checked out a commit.
branch=$(git symbolic-ref --quiet --short HEAD || git ls-remote --symref origin HEAD | sed -n 's|^ref: refs/heads/\([^[:space:]]*\).*|\1|p')
jq -n --arg branch "$branch" '{repository: {full_name: "any/ci", default_branch: $branch}}' >"$work/event"
resource-merge pr upgrade "$@" --event "$work/event" >"$work/plan"
jq -r '.message | select(. != "")' "$work/plan"
jq -c '.pullRequests // [] | .[]' "$work/plan" >"$work/all"
while IFS= read -r one; do
  printf '%s\n' "$one" >"$work/one"
  if jq -e 'has("push")' "$work/one" >/dev/null; then
    git push --quiet origin "$(jq -r '.push.sha + ":" + .push.ref' "$work/one")"
  fi
  text=results/$(jq -r .head "$work/one").md
  mkdir -p "$(dirname "$text")"
  jq -r '"# " + .title + "\n\n" + .body' "$work/one" >"$text"
  echo "$text"
done <"$work/all"
jq -e 'has("errors") | not' "$work/plan" >/dev/null || { jq -r '.errors[]' "$work/plan" >&2; exit 1; }
