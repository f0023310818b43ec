#!/bin/sh
# Pushes what was merged to a branch of the package's own. The report of the merge is the
# message of the commit.
#
# It may run again at any time. The commit has the time of the commit below it, so what
# is merged again is the same commit, and there is nothing to push. A branch on which
# somebody went on stays as it is.
set -eu
name=$(cat "$WORK/name")
branch=upgrade/$name-$VERSION title="Upgrade $name to $VERSION"
cd "$WORK/packages"
GIT_AUTHOR_DATE=$(git log -1 --format=%cI) GIT_COMMITTER_DATE=$(git log -1 --format=%cI)
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE

git switch --quiet --force-create "$branch"
rm -rf "packages/$name"
cp -R "$WORK/merged" "packages/$name"
git add --all "packages/$name"
if git diff --cached --quiet; then
  echo "$name is as it was"
  exit
fi
if git fetch --quiet --depth=1 origin "$branch" 2>/dev/null && [ "$(git log -1 --format=%s FETCH_HEAD)" != "$title" ]; then
  echo "$branch has somebody's commits, and stays as it is"
  exit
fi
git commit --quiet --message="$title" --message="$(cat "$WORK/report.txt")"
git push --force origin "$branch"
