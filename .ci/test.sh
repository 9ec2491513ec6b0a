#!/usr/bin/env bash
# Runs test stages and tells at the end what ran. Stages:
#   unit                 the root module, with -race; the long form, of tests that have one, without
#   integration          the engine end to end on a real Redis and a cluster, the console in Chromium, once and the outbox in databases,
#                        alerts, a little of make chaos, the benchmarks' own tests, and the example that is a module of its own
#   interop=V[,V…]       the released Redisson jars
#   fuzz=DURATION        every fuzz target of the codecs, for so long each
#   long                 from here on the long form of tests that have one: a minute of
#                        soak instead of seconds, a million elements instead of some, all
#                        mutants, properties tried 100 times instead of 25; and no result
#                        of an earlier run stands for a test
#   acl                  the end-to-end tests as a Redis user with nothing but what
#                        "duequeue acl" prints; a refusal by Redis fails a test
#   effects              orders through the outbox and back while everything is killed, see integration/outbox
#   faults               the faults of make chaos: that they strike, and heal
#   rollout              a Spring Boot service through the steps of framework/ROLLOUT.md
#   versions             services of the last version (.ci/base) beside those of this one
#   servers=S[ S…]       the engine's suite on other servers, those of servers.sh
# A stage with a + in front, as in +integration, runs beside those after it: for one that
# mostly waits. Every stage runs, also after one that failed. Fails if any failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
exec </dev/null

mkdir -p .cache/bin .cache/logs
go build -o .cache/bin/testsummary .ci/testsummary/main.go || exit 1
summary=$PWD/.cache/bin/testsummary
logs=$PWD/.cache/logs
lines=$logs/summary.$$
tls_tests='TLS|/TLS'
versions_tests='^TestVersions'
# What a file of tests has in it where some of them have a long form.
has_long_form='DUEQUEUE_TEST_LONG|LongForm\(|pgregory.net/rapid|/(databind|serial)test"'
trap 'rm -f "$lines"; for group in $jars $beside; do kill -- "-$group" 2>/dev/null; done' EXIT
: >"$lines"
failed=0

# The jars of the stage interop come over the network while other stages compile and run.
# What does not come is that stage's to tell.
jars=
beside= # the process of a stage that runs beside others
fetch() { for version in ${1//,/ }; do integration/java/build.sh "$version"; done; }
for arg in "$@"; do
  case $arg in interop=*)
    set -m # in a process group of its own, which the end of this script ends
    fetch "${arg#interop=}" >"$logs/jars.log" 2>&1 &
    jars=$!
    set +m
    ;;
  esac
done

# The race detector lets each test process, and each child of one, sleep a second at its end.
export GORACE=${GORACE:-atexit_sleep_ms=50}

# stage NAME DIRECTORY go-test-arguments…
# Vet is lint's matter: here it would look at each package and all that it imports once more.
stage() {
  local name=$1 dir=$2
  shift 2
  local checks=25 again=() # checks of each property, of rapid
  [ -z "${DUEQUEUE_TEST_LONG:-}" ] || { checks=100 again=(-count=1); }
  printf '\n=== %s\n' "$name"
  (cd "$dir" && RAPID_CHECKS=${RAPID_CHECKS:-$checks} go test -json -vet=off "${again[@]}" "$@") 2>"$logs/$name.stderr" |
    "$summary" -name "$name" -log "$logs/$name.log" -append "$lines"
  local status=("${PIPESTATUS[@]}")
  if [ "${status[0]}" -ne 0 ] || [ "${status[1]}" -ne 0 ]; then
    cat "$logs/$name.stderr"
    failed=1
  fi
}

# run STAGE
run() {
  case $1 in
    unit)
      # The short form looks for races, the long one at sizes and counts, of tests that have it.
      form=(-race ./...)
      if [ -n "${DUEQUEUE_TEST_LONG:-}" ]; then
        mapfile -t files < <(grep -rlE "$has_long_form" --include='*_test.go' codecs framework handlers registry)
        names=$(grep -hoE '^func Test\w+' "${files[@]}" | cut -d ' ' -f 2 | sort -u | paste -sd '|')
        mapfile -t form < <(printf './%s\n' "${files[@]%/*}" | sort -u)
        form+=(-run "^($names)\$")
      fi
      stage unit . -timeout 25m "${form[@]}"
      ;;
    integration)
      # These tests mostly wait: for leases that end, and processes that stop.
      # What has no long form runs in the short one.
      only=(./once ./outbox ./deploy/...)
      [ -z "${DUEQUEUE_TEST_LONG:-}" ] || only=()
      stage integration integration -race -count=1 -p 1 -parallel 4 -timeout 10m -skip "$versions_tests" ./endtoend/... ./jvm/... "${only[@]}" ./web ./chaos ./bench/...
      [ ${#only[@]} -eq 0 ] || stage example examples/09-order-once -race -count=1 ./...
      ;;
    effects)
      stage effects integration -count=1 -timeout 60m -run TestChaos -v ./outbox
      grep -h 'orders saved' "$logs/effects.log" || true
      ;;
    fuzz=*)
      printf '\n=== fuzz the codecs, %s each\n' "${1#fuzz=}"
      .ci/fuzz.sh "${1#fuzz=}" ./codecs/... 2>&1 | tee "$logs/fuzz.log"
      status=${PIPESTATUS[0]}
      [ "$status" -eq 0 ] || failed=1
      echo "fuzz         $(grep '^fuzz: ' "$logs/fuzz.log" | tail -n 1 | cut -c7-)" >>"$lines"
      ;;
    interop=*)
      export DUEQUEUE_TEST_INTEROP_VERSIONS=${1#interop=}
      echo "=== Redisson $DUEQUEUE_TEST_INTEROP_VERSIONS"
      # With -race, because what unit and integration built is then half of the build.
      stage interop integration -race -count=1 -timeout 30m ./interop/...
      ;;
    long)
      export DUEQUEUE_TEST_LONG=1
      ;;
    acl)
      DUEQUEUE_TEST_ACL=1 stage acl integration -count=1 -timeout 10m -skip "$versions_tests" ./endtoend/...
      ;;
    faults)
      stage faults integration -count=1 -timeout 15m ./chaos/fault/...
      ;;
    rollout)
      stage rollout integration -race -count=1 -timeout 15m ./rollout
      ;;
    versions)
      if base=$(.ci/base.sh); then
        (cd "$base/integration" && go test -c -o endtoend.test ./endtoend) || failed=1
        DUEQUEUE_TEST_EARLIER=$base/integration/endtoend.test stage versions integration -count=1 -timeout 10m -run "$versions_tests" ./endtoend
      elif [ $? -eq 3 ]; then
        echo "versions  NOT CHECKED: this clone lacks the last version's commit" >>"$lines"
      else
        failed=1
      fi
      ;;
    servers=*)
      for server in ${1#servers=}; do
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
      echo "test.sh: no stage called $1" >&2
      exit 2
      ;;
  esac
}

# finish_beside waits for the stage that runs beside others, and prints what it said.
finish_beside() {
  [ -n "$beside" ] || return 0
  wait "$beside" || failed=1
  beside=
  cat "$logs/beside.log"
}

for arg in "$@"; do
  case $arg in
    +*)
      finish_beside
      set -m
      (set +m; run "${arg#+}"; exit "$failed") >"$logs/beside.log" 2>&1 &
      beside=$!
      set +m
      ;;
    *) run "$arg" ;;
  esac
done
finish_beside

printf '\n=== what ran\n'
cat "$lines"
[ $failed -eq 0 ] || echo "FAILED (whole logs in ${logs#"$PWD"/})"
exit $failed
