#!/usr/bin/env bash
# Lints all modules: golangci-lint (with vet), go mod tidy -diff, govulncheck; the tests with the
# build tag lint, which compile Go programs or read pages; and apidiff, see apidiff.sh.
# Every check runs, also after one that failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
exec </dev/null

golangci=v2.15.0
govulncheck=v1.8.0
apidiff=v0.0.0-20261113113407-e3970619a1a4
bin=$PWD/.cache/bin
config=$PWD/.golangci.yml
failed=0

tool() { # tool NAME PACKAGE VERSION: builds it once into .cache/bin
  local stamp=$bin/.$1-$3
  [ -e "$stamp" ] && return
  mkdir -p "$bin"
  echo "lint: building $1 $3 (once)"
  GOBIN=$bin go install "$2@$3" && touch "$stamp"
}

check() { # check DIRECTORY COMMAND…
  local dir=$1
  shift
  echo "=== lint: $(basename "$1") ${*:2} (in $dir)"
  (cd "$dir" && "$@") || { failed=1; echo "lint: FAILED: $(basename "$1") in $dir"; }
}

tool golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint $golangci || exit 1
for dir in . integration examples/09-order-once; do
  check $dir "$bin/golangci-lint" run --allow-parallel-runners --config "$config" ./...
  check $dir "$bin/golangci-lint" fmt --config "$config" --diff
  check $dir go mod tidy -diff
done

mapfile -t packages < <(grep -rl '^//go:build lint$' --include='*_test.go' framework examples | xargs -n 1 dirname | sort -u | sed 's|^|./|')
check . go test -vet=off -tags lint -run '^TestLint' "${packages[@]}"

tool apidiff golang.org/x/exp/cmd/apidiff $apidiff || exit 1
echo "=== lint: apidiff"
.ci/apidiff.sh
case $? in
  0) ;;
  3) echo "lint: NOT CHECKED: what of the API has changed since the last version" ;;
  *) failed=1 ;;
esac

# The vulnerability database is not reachable from everywhere; say so rather than pretend.
vulnerabilities() { # vulnerabilities DIRECTORY
  local out status
  out=$(cd "$1" && timeout 300 "$bin/govulncheck" ./... 2>&1)
  status=$?
  if [ $status -eq 0 ]; then
    echo "=== lint: govulncheck found nothing (in $1)"
  elif grep -q 'fetching vulnerabilities' <<<"$out" || [ $status -eq 124 ]; then
    echo "lint: NOT CHECKED: govulncheck cannot reach its database from here (in $1)"
  else
    printf '%s\n' "$out"
    failed=1
    echo "lint: FAILED: govulncheck in $1"
  fi
}

if tool govulncheck golang.org/x/vuln/cmd/govulncheck $govulncheck; then
  for dir in . integration examples/09-order-once; do
    vulnerabilities $dir
  done
else
  echo "lint: NOT CHECKED: govulncheck could not be installed"
fi

[ $failed -eq 0 ] && echo "lint: passed"
exit $failed
