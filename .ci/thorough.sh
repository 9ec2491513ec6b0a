#!/usr/bin/env bash
# Runs slices of .ci/slices.
#   thorough.sh            all of them
#   thorough.sh -turn      the one whose turn it is: by the number of commits, each comes round
#   thorough.sh PATTERN    those whose name has the pattern in it
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
exec </dev/null

mapfile -t slices < <(grep -v '^ *\(#\|$\)' .ci/slices)
case ${1:-} in
  '') ;;
  -turn) slices=("${slices[$(git rev-list --count HEAD) % ${#slices[@]}]}") ;;
  *) mapfile -t slices < <(printf '%s\n' "${slices[@]}" | grep -E "^[^ ]*($1)") ;;
esac
[ ${#slices[@]} -gt 0 ] || { echo "thorough: no slice is called $1; .ci/slices has them" >&2; exit 1; }

failed=()
for slice in "${slices[@]}"; do
  read -r name stages <<<"$slice"
  printf '\n##### slice %s: %s\n' "$name" "$stages"
  started=$SECONDS
  # shellcheck disable=SC2086 # the stages are words
  .ci/test.sh $stages || failed+=("$name")
  printf '##### slice %s took %d s\n' "$name" "$((SECONDS - started))"
done
[ ${#failed[@]} -eq 0 ] || { echo "thorough: FAILED: ${failed[*]}"; exit 1; }
