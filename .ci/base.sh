#!/usr/bin/env bash
# Prints the directory of the source of a commit, without one of the last version's, which .ci/base
# names: what is compared with today's code, and runs beside it. Fails with status 3 where this clone
# has not the commit and cannot get it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

commit=${1:-$(<.ci/base)}
commit=$(git rev-parse --verify --quiet "$commit^{commit}" || echo "$commit")
dir=$PWD/.cache/base-$commit
if [ ! -d "$dir" ]; then
  if ! git cat-file -e "$commit^{commit}" 2>/dev/null && ! timeout 300 git fetch --quiet --unshallow >&2; then
    echo "base: this clone lacks commit $commit: run git fetch --unshallow" >&2
    exit 3
  fi
  rm -rf "$dir.new"
  mkdir -p "$dir.new"
  git archive "$commit" | tar -x -C "$dir.new"
  mv "$dir.new" "$dir"
fi
echo "$dir"
