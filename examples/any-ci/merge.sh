#!/bin/sh
# merge.sh BRANCH BASE [ANSWER] merges BASE into BRANCH of origin, field by field, and pushes the merge if all is
# decided. Else it writes the numbered table of the open conflicts to open.md, and ends with 1. Keep open.md, and give an
# ANSWER such as '/take local 1-3' to the next run: it counts as long as neither branch moves. It needs git and jq,
# and a checkout with the history.
set -eu
[ $# -ge 2 ] || { echo "usage: merge.sh BRANCH BASE [ANSWER]" >&2; exit 2; }
branch=$1 base=$2 answer=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/answers"

# There is no forge: whoever may run this may write, and open.md is the comment.
jq -n --arg branch "$branch" --arg base "$base" '{repository: {full_name: "any/ci"}, pull_request: {number: 1, state: "open",
  head: {ref: $branch, repo: {full_name: "any/ci"}}, base: {ref: $base, repo: {full_name: "any/ci"}}}}' >"$work/event"
jq .pull_request "$work/event" >"$work/answers/pull-request.json"
echo '{"permission": "write"}' >"$work/answers/permission.json"
touch open.md
jq --raw-input --slurp '[{id: 1, user: {login: "ci", type: "Bot"}, body: .}]' open.md >"$work/answers/comments.json"
if [ -n "$answer" ]; then
  jq --arg answer "$answer" '{action: "created", repository, issue: {number: 1, pull_request: {}},
    comment: {user: {login: "me", type: "User"}, body: $answer}}' "$work/event" >"$work/answer"
  mv "$work/answer" "$work/event"
fi

resource-merge pr merge --author ci --event "$work/event" --answers "$work/answers" >"$work/plan"
jq -r .message "$work/plan"
if jq -e 'has("push")' "$work/plan" >/dev/null; then
  git push --quiet origin "$(jq -r '.push.sha + ":" + .push.ref' "$work/plan")" # refused if the branch moved meanwhile
  rm open.md
  exit
fi
if jq -e 'has("comment")' "$work/plan" >/dev/null; then
  jq -r .comment.body "$work/plan" >open.md
  grep -v '^<!--' open.md
fi
[ "$(jq -r .message "$work/plan")" = "the pull request is not in conflict" ]
