#!/usr/bin/env bash
# Runs every fuzz target of some packages for a while, two packages at a time.
# Usage: fuzz.sh [DURATION [PACKAGE…]]   default: 30s ./...
# Inputs that reached new code are kept in .cache/fuzz, for the next run.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
exec </dev/null

duration=${1:-30s}
shift || true
packages=("${@:-./...}")
root=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/fuzz.XXXXXX")
trap 'rm -rf "$work"' EXIT
at_once=2
workers=$((($(getconf _NPROCESSORS_ONLN) + at_once - 1) / at_once))

# fuzz NAME TARGET LOG runs one target of the package in the working directory.
# Minimizing is bounded by count: large inputs would spend all the time on it.
fuzz() {
  "$work/$1.test" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "$duration" -test.fuzzminimizetime 20x \
    -test.parallel "$workers" -test.fuzzcachedir "$root/.cache/fuzz/$1" >"$3" 2>&1
}

# targets DIRECTORY lists the fuzz targets of a package.
targets() {
  find "$1" -maxdepth 1 -name '*_test.go' -exec grep -hoE '^func Fuzz[A-Za-z0-9_]*' {} + | cut -c6- | sort
}

# fuzz_package PACKAGE DIRECTORY links one binary, and runs each target with it. Each
# leaves a line in the file "ran", and in "failed" if it failed.
fuzz_package() {
  local package=${1#github.com/duequeue/duequeue/} target log execs try
  local name=${package//\//_}
  cd "$2" || return
  log=$work/$name.log
  if ! go test -c -fuzz . -o "$work/$name.test" . >"$log" 2>&1; then
    cat "$log"
    echo "$package does not build" >>"$work/failed"
    return
  fi
  for target in $(targets .); do
    # The fuzzing engine now and then counts its own deadline as a failure: only that,
    # and no failing input, is worth another try.
    for try in 1 2 3 4 5; do
      ! fuzz "$name" "$target" "$log" || break
      if [ "$try" -lt 5 ] && grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; then
        echo "fuzz: $package $target ended with the engine's own deadline and no failing input: trying again"
        continue
      fi
      echo "$package $target" >>"$work/failed"
      cat "$log"
      break
    done
    execs=$(grep -o 'execs: [0-9]*' "$log" | tail -n 1)
    printf '%-60s %-28s %s\n' "$package" "$target" "${execs:-no execs}"
    echo "$target" >>"$work/ran"
  done
  rm -f "$work/$name.test"
}

touch "$work/ran" "$work/failed"
while read -r package dir; do
  [ -n "$(targets "$dir")" ] || continue
  [ "$(jobs -rp | wc -l)" -lt $at_once ] || wait -n
  fuzz_package "$package" "$dir" &
done < <(go list -f '{{.ImportPath}} {{.Dir}}' "${packages[@]}")
wait

ran=$(wc -l <"$work/ran")
echo "fuzz: $ran targets ran for $duration each"
[ "$ran" -gt 0 ] || { echo "fuzz: FAILED: found no target"; exit 1; }
if [ -s "$work/failed" ]; then
  sed 's/^/fuzz: FAILED: /' "$work/failed"
  exit 1
fi
