#!/bin/sh
# Merges a new version of upstream into packages, each on a branch and in a pull request
# of its own. A package that fails is named, and the others go on:
#
#   fleet/upgrade.sh VERSION PACKAGE...
#
# It may run again at any time. The commit of a merge has the time of the commit below
# it, so what is merged again is the same commit, and there is nothing to push. A branch
# on which somebody went on stays as it is.
set -eu
version=$1
shift
base=$(git rev-parse HEAD)
GIT_AUTHOR_DATE=$(git log -1 --format=%cI) GIT_COMMITTER_DATE=$(git log -1 --format=%cI)
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE

# upgrade PACKAGE: the merge, its reports, its branch, its pull request.
upgrade() {
  branch=upgrade/${1#packages/}-$version title="Upgrade ${1#packages/} to $version"
  report=results/reports/${1#packages/}.json text=results/pull-requests/${1#packages/}.md
  : >"$report" # counts as a failure, until the merge has written it
  git switch --quiet --force-create "$branch" "$base" &&
    resource-merge update "$1@$version" --report github --report json="$report" --report markdown="$text" &&
    git add --all "$1" || return
  if git diff --cached --quiet; then
    echo "$1 is as it was"
    return
  fi
  if git fetch --quiet origin "$branch" 2>/dev/null && [ "$(git log -1 --format=%s FETCH_HEAD)" != "$title" ]; then
    echo "$branch has somebody's commits, and stays as it is"
    git reset --quiet --hard
    return
  fi
  git commit --quiet --message="$title" && git push --quiet --force origin "$branch" || return
  if gh pr view "$branch" >/dev/null 2>&1; then
    gh pr edit "$branch" --body-file "$text"
  else
    gh pr create --head "$branch" --title "$title" --body-file "$text"
  fi
}

mkdir -p results/reports results/pull-requests
failed=
for package; do
  if ! upgrade "$package"; then
    failed="$failed $package"
    git reset --quiet --hard
  fi
done
git switch --quiet --detach "$base"
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
