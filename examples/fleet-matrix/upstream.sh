#!/bin/sh
# Makes upstream.git, which stands in for upstream's repository: each directory
# of versions/ is a commit with a tag. Who committed, and when, is always the same, so
# that the commits are those that the Kptfiles name.
set -eu
cd "$(dirname "$0")"
export GIT_AUTHOR_NAME=upstream GIT_AUTHOR_EMAIL=upstream@example.com GIT_AUTHOR_DATE=2025-01-01T00:00:00Z
export GIT_COMMITTER_NAME=upstream GIT_COMMITTER_EMAIL=upstream@example.com GIT_COMMITTER_DATE=2025-01-01T00:00:00Z
git init --quiet upstream.git
for version in versions/*; do
  cp "$version"/* upstream.git
  git -C upstream.git add --all
  git -C upstream.git commit --quiet --message="${version#*/}"
  git -C upstream.git tag "${version#*/}"
done
