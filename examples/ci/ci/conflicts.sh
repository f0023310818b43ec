#!/bin/sh
# Fails, and names them, if the merge had conflicts.
set -eu
# A result about a conflict has it among its tags.
if grep -q '^ *conflict: ' results/results.yaml; then
  echo "Both sides changed these; see the pull request:"
  grep -B 1 'severity: warning' results/results.yaml | grep 'message:'
  exit 1
fi
