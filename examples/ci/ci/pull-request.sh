#!/bin/sh
# Puts an upgraded package on a branch of its own, and opens a pull request for
# it, or updates the one that is open. Its text is the report of the merge,
# results/pull-request.md:
#
#   ci/pull-request.sh PACKAGE VERSION
set -eu
package=$1 version=$2
branch=upgrade/$package-$version

git switch --quiet --force-create "$branch"
git add --all "$package"
if git diff --cached --quiet; then
  echo "$package is as it was: no pull request"
  exit
fi
git commit --quiet --message="Upgrade $package to $version"
git push --quiet --force origin "$branch"

if gh pr view "$branch" >/dev/null 2>&1; then
  gh pr edit "$branch" --body-file results/pull-request.md
else
  gh pr create --head "$branch" --title "Upgrade $package to $version" --body-file results/pull-request.md
fi
