#!/usr/bin/env bash
# Runs every fuzz target of some packages for a while, one after another.
# Usage: fuzz.sh [DURATION [PACKAGE…]]   default: 30s ./...
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
exec </dev/null

duration=${1:-30s}
shift || true
packages=("${@:-./...}")
mkdir -p .cache/logs
log=$(mktemp .cache/logs/fuzz.XXXXXX)
trap 'rm -f "$log"' EXIT
ran=0
failed=()

# fuzz PACKAGE TARGET runs one target. Minimizing is bounded by count: large
# inputs would spend all the time on it.
fuzz() {
  go test -run '^$' -fuzz "^$2\$" -fuzztime "$duration" -fuzzminimizetime 20x "$1" >"$log" 2>&1
}

for package in $(go list "${packages[@]}"); do
  for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz'); do
    if ! fuzz "$package" "$target"; then
      # The fuzzing engine now and then counts its own deadline as a failure: only
      # that, and no failing input, is worth another try.
      if grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; then
        echo "fuzz: $package $target ended with the engine's own deadline and no failing input: trying again"
        fuzz "$package" "$target" || failed+=("$package $target")
      else
        failed+=("$package $target")
      fi
    fi
    [ ${#failed[@]} -eq 0 ] || [ "${failed[-1]}" != "$package $target" ] || cat "$log"
    execs=$(grep -o 'execs: [0-9]*' "$log" | tail -n 1)
    printf '%-60s %-28s %s\n' "${package#github.com/duequeue/duequeue/}" "$target" "${execs:-no execs}"
    ran=$((ran + 1))
  done
done

echo "fuzz: $ran targets ran for $duration each"
[ $ran -gt 0 ] || { echo "fuzz: FAILED: found no target"; exit 1; }
if [ ${#failed[@]} -gt 0 ]; then
  printf 'fuzz: FAILED: %s\n' "${failed[@]}"
  exit 1
fi
