#!/bin/sh
# Makes upstream.git, which stands in for upstream's repository: each directory
# of versions/ is a commit with a tag.
set -eu
cd "$(dirname "$0")"
git init --quiet upstream.git
for version in versions/*; do
  cp "$version"/* upstream.git
  git -C upstream.git add --all
  git -C upstream.git commit --quiet --message="${version#*/}"
  git -C upstream.git tag "${version#*/}"
done
