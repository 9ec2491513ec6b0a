#!/usr/bin/env bash
# Runs every fuzz target of the root module for a while, one after another.
# Usage: fuzz.sh [DURATION]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

duration=${1:-30s}
ran=0
failed=()
for package in $(go list ./...); do
  for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz'); do
    echo "=== $package $target ($duration)"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$duration" "$package" || failed+=("$package $target")
    ran=$((ran + 1))
  done
done

echo "fuzz: $ran targets ran for $duration each"
[ $ran -gt 0 ] || { echo "fuzz: FAILED: found no target"; exit 1; }
if [ ${#failed[@]} -gt 0 ]; then
  printf 'fuzz: FAILED: %s\n' "${failed[@]}"
  exit 1
fi
