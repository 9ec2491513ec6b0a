#!/usr/bin/env bash
# Runs test stages and tells at the end what ran. Stages:
#   unit                 the root module, with -race
#   integration          the engine end to end on a real Redis and a cluster, and a little of make chaos
#   fuzz=DURATION        every fuzz target of the codecs, for so long each
#   interop=V[,V…]       the released Redisson jars
#   long                 from here on the long form of tests that have one (a minute of
#                        soak instead of seconds, a million elements instead of some)
#   acl                  the end-to-end tests as a Redis user with nothing but what
#                        "duequeue acl" prints; a refusal by Redis fails a test
#   faults               the faults of make chaos: that they strike, and heal
#   servers              the engine's suite on Redis 6.2.14 and Valkey 9.1.2
# Every stage runs, also after one that failed. Fails if any failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
exec </dev/null

mkdir -p .cache/bin .cache/logs
go build -o .cache/bin/testsummary .ci/testsummary/main.go || exit 1
summary=$PWD/.cache/bin/testsummary
logs=$PWD/.cache/logs
lines=$logs/summary.$$
tls_tests='TLS|/TLS'
trap 'rm -f "$lines"' EXIT
: >"$lines"
failed=0

# stage NAME DIRECTORY go-test-arguments…
stage() {
  local name=$1 dir=$2
  shift 2
  printf '\n=== %s\n' "$name"
  (cd "$dir" && go test -json "$@") 2>"$logs/$name.stderr" |
    "$summary" -name "$name" -log "$logs/$name.log" -append "$lines"
  local status=("${PIPESTATUS[@]}")
  if [ "${status[0]}" -ne 0 ] || [ "${status[1]}" -ne 0 ]; then
    cat "$logs/$name.stderr"
    failed=1
  fi
}

for arg in "$@"; do
  case $arg in
    unit)
      stage unit . -race -timeout 10m ./...
      ;;
    integration)
      # These tests mostly wait: for leases that end, and processes that stop.
      stage integration integration -race -count=1 -p 1 -parallel 4 -timeout 10m ./endtoend/... ./jvm/... ./chaos
      ;;
    fuzz=*)
      printf '\n=== fuzz the codecs, %s each\n' "${arg#fuzz=}"
      .ci/fuzz.sh "${arg#fuzz=}" ./codecs/... 2>&1 | tee "$logs/fuzz.log"
      status=${PIPESTATUS[0]}
      [ "$status" -eq 0 ] || failed=1
      echo "fuzz         $(grep '^fuzz: ' "$logs/fuzz.log" | tail -n 1 | cut -c7-)" >>"$lines"
      ;;
    interop=*)
      export DUEQUEUE_INTEROP_VERSIONS=${arg#interop=}
      echo "=== Redisson $DUEQUEUE_INTEROP_VERSIONS"
      stage interop integration -count=1 -timeout 30m ./interop/...
      [ -z "${DUEQUEUE_LONG:-}" ] || stage two-ways . -count=1 -timeout 10m -run TestTwoWays ./codecs/...
      ;;
    long)
      export DUEQUEUE_LONG=1
      ;;
    acl)
      DUEQUEUE_ACL=1 stage acl integration -count=1 -timeout 10m ./endtoend/...
      ;;
    faults)
      stage faults integration -count=1 -timeout 15m ./chaos/fault/...
      ;;
    servers)
      for server in redis-6.2.14 valkey-9.1.2; do
        if binary=$(.ci/servers.sh "$server"); then
          # These builds have no TLS; unit, on the system's Redis, runs those tests.
          DUEQUEUE_REDIS_SERVER=$binary stage "engine-on-$server" . -count=1 -timeout 10m -skip "$tls_tests" ./framework/...
          echo "    (without $tls_tests: this build of the server has no TLS)" >>"$lines"
        else
          echo "engine-on-$server  FAILED: no such server to run on" >>"$lines"
          failed=1
        fi
      done
      ;;
    *)
      echo "test.sh: no stage called $arg" >&2
      exit 2
      ;;
  esac
done

printf '\n=== what ran\n'
cat "$lines"
[ $failed -eq 0 ] || echo "FAILED (whole logs in ${logs#"$PWD"/})"
exit $failed
