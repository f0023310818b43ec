#!/usr/bin/env bash
# Carries out what `resource-merge pr` says about the event in GITHUB_EVENT_PATH: it answers questions, pushes, writes
# comments, and opens pull requests, with git and gh. The variables are the inputs of action.yml: JOB, PACKAGES and
# AUTHOR. Nothing of the event is in a command but as a quoted argument, and nothing is forced.
set -euo pipefail
export GIT_AUTHOR_NAME=${GIT_AUTHOR_NAME:-github-actions[bot]}
export GIT_AUTHOR_EMAIL=${GIT_AUTHOR_EMAIL:-41898282+github-actions[bot]@users.noreply.github.com}
export GIT_COMMITTER_NAME=${GIT_COMMITTER_NAME:-$GIT_AUTHOR_NAME} GIT_COMMITTER_EMAIL=${GIT_COMMITTER_EMAIL:-$GIT_AUTHOR_EMAIL}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly moved=3 # the code of a push to a branch that moved meanwhile
failed=0

arguments=()
[ -z "${JOB:-}" ] || arguments+=("$JOB")
[ -z "${AUTHOR:-}" ] || arguments+=(--author "$AUTHOR")
while IFS= read -r package; do
  [ -z "$package" ] || arguments+=(--package "$package")
done <<<"${PACKAGES:-}"

# say prints lines as such: none of them is a workflow command.
say() { printf 'resource-merge: %s\n' "$@"; }

# plan EVENT FILE writes the plan, and asks for the facts that it needs.
plan() {
  local answers file path
  answers=$(mktemp -d "$work/answers.XXXXXX")
  for _ in 1 2 3 4 5; do
    resource-merge pr ${arguments[@]+"${arguments[@]}"} --event "$1" --answers "$answers" >"$2" || return 1
    [ "$(jq '.ask // [] | length' "$2")" != 0 ] || return 0
    while IFS=$'\t' read -r file path; do
      if ! gh api --paginate "$path" >"$answers/$file"; then
        [ "$file" = permission.json ] || return 1
        echo '{}' >"$answers/$file" # an unknown user may not write
      fi
    done < <(jq -r '.ask[] | [.file, .path] | @tsv' "$2")
  done
  say "the questions have no end"
  return 1
}

# tip REF prints the commit of a branch of origin.
tip() {
  local commit ref
  git ls-remote origin "$1" | while IFS=$'\t' read -r commit ref; do
    [ "$ref" != "$1" ] || printf '%s\n' "$commit"
  done
}

# push FILE FILTER pushes a commit to a branch that has not moved.
push() {
  local ref commit expected now
  IFS=$'\t' read -r ref commit expected < <(jq -r "$2 | [.ref, .sha, .expected] | @tsv" "$1")
  now=$(tip "$ref")
  if [ "$now" = "$expected" ]; then
    git -c core.hooksPath=/dev/null push --quiet origin "$commit:$ref" && return
    now=$(tip "$ref")
  fi
  if [ "$now" = "$expected" ]; then
    say "git may not push to $ref: the job needs the permission contents: write, and a branch that its rules let it push to"
    return 1
  fi
  say "$ref moved meanwhile: nothing was pushed"
  return "$moved"
}

# comment FILE writes the comment.
comment() {
  local id number
  id=$(jq '.comment.id' "$1") number=$(jq '.comment.pullRequest' "$1")
  if [ "$id" = 0 ]; then
    jq '{body: .comment.body}' "$1" | gh api --method POST "repos/$repository/issues/$number/comments" --input - >/dev/null
  else
    jq '{body: .comment.body}' "$1" | gh api --method PATCH "repos/$repository/issues/comments/$id" --input - >/dev/null
  fi
}

# pull_request FILE FILTER opens or renews a pull request.
pull_request() {
  local number
  if [ "$(jq "$2 | has(\"push\")" "$1")" = true ]; then
    push "$1" "$2.push" || return
  fi
  number=$(jq "$2.number" "$1")
  if [ "$number" = 0 ]; then
    jq "$2 | {title, head, base, body}" "$1" | gh api --method POST "repos/$repository/pulls" --input - >/dev/null
  else
    jq "$2 | {title, body}" "$1" | gh api --method PATCH "repos/$repository/pulls/$number" --input - >/dev/null
  fi
}

# carry_out FILE carries out a plan.
carry_out() {
  local i code
  while IFS= read -r line; do say "$line"; done < <(jq -r '.message' "$1")
  while IFS= read -r line; do
    say "$line" >&2
    failed=1
  done < <(jq -r '.errors // [] | .[] | gsub("[\r\n]"; " ")' "$1")
  if [ "$(jq 'has("push")' "$1")" = true ]; then
    push "$1" .push || return
  fi
  if [ "$(jq 'has("comment")' "$1")" = true ]; then
    comment "$1" || return
  fi
  for ((i = 0; i < $(jq '.pullRequests // [] | length' "$1"); i++)); do
    code=0
    pull_request "$1" ".pullRequests[$i]" || code=$?
    [ "$code" = 0 ] || [ "$code" = "$moved" ] || failed=1
  done
}

# follow EVENT plans and carries out, once more if a branch moved meanwhile.
follow() {
  local code i events
  repository=$(jq -r '.repository.full_name' "$1")
  for _ in 1 2; do
    local file
    file=$(mktemp "$work/plan.XXXXXX")
    plan "$1" "$file" || { failed=1; return; }
    code=0
    carry_out "$file" || code=$?
    [ "$code" = "$moved" ] || break
  done
  [ "$code" = 0 ] || [ "$code" = "$moved" ] || failed=1
  events=$(jq '.events // [] | length' "$file")
  for ((i = 0; i < events; i++)); do
    jq ".events[$i]" "$file" >"$file.event$i"
    follow_one "$file.event$i"
  done
}

# follow_one EVENT follows an event about one pull request.
follow_one() { (failed=0 && follow "$1" && exit "$failed") || failed=1; }

follow "$GITHUB_EVENT_PATH"
exit "$failed"
