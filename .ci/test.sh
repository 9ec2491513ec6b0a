#!/usr/bin/env bash
# Runs test stages and tells at the end what ran and how long each took. Stages:
#   unit              the root module on a real Redis, without -race
#   endtoend          the engine through its public API, on a real Redis and a cluster of three
#   race              framework, handlers and registry with -race, and what codecs share between goroutines
#   interop=V[,V…]    the released Redisson jars
#   suite             the outbox and once in databases, the console in Chromium, alerts on Prometheus,
#                     three rows of make chaos, and the example that is a module of its own
#   acl               the end-to-end tests as a Redis user with nothing but what "duequeue acl" prints
#   versions          services of the last version (.ci/base) beside those of this one
#   simulate=A-B      hours of a fleet in virtual time, from the seeds A to B
#   long=A[,A…]       the long form of the tests of areas that have one: codecs, handlers, registry,
#                     framework (without internal), framework/internal, or a folder of integration
#   fuzz=DURATION     every fuzz target of the codecs, for so long each
#   faults=R[,R…]     rows of make chaos, in their long form
#   oncall            twenty faults, as the command line, the console and the alerts tell of them, and their cures
#   effects           orders through the outbox and back while everything is killed
#   bench             each part of make bench for a moment
#   rollout           a Spring Boot service through the steps of framework/ROLLOUT.md
#   docs              the site of the documentation: a link that leads nowhere fails it
#   servers=S[ S…]    the engine's tests on other servers, those of servers.sh
#   stalls            unit, endtoend, the databases, the console and one jar, for make stalls: no cached results
#   long              from here on the long form of tests that have one, and no cached results
# A stage with a + in front, as in +endtoend, runs beside those after it: for one that mostly
# waits. Every stage runs, also after one that failed. Fails if any failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
exec </dev/null

mkdir -p .cache/bin .cache/logs
go build -o .cache/bin/testsummary .ci/testsummary/main.go || exit 1
summary=$PWD/.cache/bin/testsummary
logs=$PWD/.cache/logs
lines=$logs/summary.$$
beside=() # process groups of stages that run beside others
trap 'rm -f "$lines"*; for group in ${jars:-} "${beside[@]}"; do kill -- "-$group" 2>/dev/null; done' EXIT
: >"$lines"
failed=0
again=()  # -count=1 where no result of an earlier run stands for a test
limit=10m # of a package of unit or endtoend

# What a file of tests has in it where some of them have a long form.
has_long_form='DUEQUEUE_TEST_LONG|LongForm\(|pgregory.net/rapid|/(databind|codec)test"'
versions_tests='^TestVersions'
tls_tests='TLS|/TLS'

# The jars of the stage interop come over the network while other stages compile and run.
# What does not come is that stage's to tell.
fetch() { for version in ${1//,/ }; do integration/java/build.sh "$version"; done; }
for arg in "$@"; do
  case ${arg#+} in interop=*)
    set -m # in a process group of its own, which the end of this script ends
    fetch "${arg#*=}" >"$logs/jars.log" 2>&1 &
    jars=$!
    set +m
    ;;
  esac
done

# The race detector lets each test process, and each child of one, sleep a second at its end.
export GORACE=${GORACE:-atexit_sleep_ms=50}
# Test processes live for seconds: they collect garbage less often.
export GOGC=${GOGC:-400}

# stage NAME DIRECTORY go-test-arguments…
# Vet is lint's matter: here it would look at each package and all that it imports once more.
stage() {
  local name=$1 dir=$2
  shift 2
  local checks=25 again=("${again[@]}") # checks of each property, of rapid
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

# note NAME STARTED TEXT writes the line of a stage that is no go test.
note() { printf '%-22s %s, %d s\n' "$1" "$3" "$((SECONDS - $2))" >>"$lines"; }

# long_form AREA runs the long form of the tests that have one.
long_form() {
  local area=$1 files names packages
  case $area in
    integration/*)
      DUEQUEUE_TEST_LONG=1 stage "long-${area#integration/}" integration -p 1 -timeout 20m -skip "$versions_tests" "./${area#integration/}/..."
      return
      ;;
  esac
  mapfile -t files < <(grep -rlE "$has_long_form" --include='*_test.go' $([ "$area" = framework ] && echo --exclude-dir=internal) "$area")
  names=$(grep -hoE '^func (Test|Fuzz)\w+' "${files[@]}" | cut -d ' ' -f 2 | sort -u | paste -sd '|')
  mapfile -t packages < <(printf './%s\n' "${files[@]%/*}" | sort -u)
  DUEQUEUE_TEST_LONG=1 stage "long-${area//\//-}" . -timeout 20m -run "^($names)\$" "${packages[@]}"
}

# run STAGE
run() {
  local started=$SECONDS
  case $1 in
    unit)
      stage unit . -p 4 -parallel 8 -timeout "$limit" ./... # many tests mostly wait
      ;;
    endtoend)
      stage endtoend integration -parallel 8 -timeout "$limit" -skip "$versions_tests" ./endtoend/...
      ;;
    race)
      stage race . -race -p 4 -parallel 8 -timeout 15m ./framework/... ./handlers/... ./registry/...
      stage race-codecs . -race -timeout 10m -run '^(TestTogether|TestDirectValuesShareNothing)$' ./codecs/catalog ./codecs/kryo5
      ;;
    suite)
      # These tests mostly wait: for leases that end, and processes that stop.
      stage suite integration -count=1 -p 2 -parallel 4 -timeout 10m ./once/... ./outbox/... ./deploy/... ./web/... ./chaos/fault ./jvm/...
      stage faults integration -count=1 -timeout 10m ./chaos -seed "$(git rev-list --count HEAD)"
      stage example examples/09-order-once -count=1 ./...
      ;;
    oncall)
      stage oncall integration -count=1 -parallel 4 -timeout 15m ./oncall
      ;;
    effects)
      export DUEQUEUE_TEST_ORDERS=${DUEQUEUE_TEST_ORDERS:-6000} DUEQUEUE_TEST_KILLS=${DUEQUEUE_TEST_KILLS:-30}
      stage effects integration -count=1 -timeout 60m -run TestChaos -v ./outbox
      grep -h 'orders saved' "$logs/effects.log" || true
      ;;
    fuzz=*)
      printf '\n=== fuzz the codecs, %s each\n' "${1#fuzz=}"
      .ci/fuzz.sh "${1#fuzz=}" ./codecs/... 2>&1 | tee "$logs/fuzz.log"
      [ "${PIPESTATUS[0]}" -eq 0 ] || failed=1
      note fuzz "$started" "$(grep '^fuzz: ' "$logs/fuzz.log" | tail -n 1 | cut -c7-)"
      ;;
    simulate=*)
      local first=${1#simulate=} last
      last=${first#*-} first=${first%-*}
      printf '\n=== simulate from the seeds %s to %s\n' "$first" "$last"
      if go run ./framework/internal/simulation/run -first "$first" -seeds "$((last - first + 1))"; then
        note simulate "$started" ok
      else
        failed=1
        note simulate "$started" FAILED
      fi
      ;;
    interop=*)
      echo "=== Redisson ${1#interop=}"
      DUEQUEUE_TEST_INTEROP_VERSIONS=${1#interop=} stage interop integration -count=1 -parallel 8 -timeout 30m ./interop/...
      ;;
    stalls)
      again=(-count=1) limit=30m
      run unit
      run endtoend
      stage suite integration -p 2 -timeout "$limit" ./once/... ./outbox/... ./deploy/... ./web/...
      run interop=4.7.0
      ;;
    long)
      export DUEQUEUE_TEST_LONG=1
      ;;
    long=*)
      for area in $(tr , ' ' <<<"${1#long=}"); do long_form "$area"; done
      ;;
    acl)
      DUEQUEUE_TEST_ACL=1 stage acl integration -count=1 -parallel 8 -timeout 10m -skip "$versions_tests" ./endtoend/...
      ;;
    docs)
      printf '\n=== docs\n'
      if .ci/docs.sh; then note docs "$started" ok; else failed=1; note docs "$started" FAILED; fi
      ;;
    faults=*)
      DUEQUEUE_TEST_LONG=1 stage faults integration -count=1 -timeout 30m ./chaos -rows "${1#faults=}"
      ;;
    bench)
      DUEQUEUE_TEST_LONG=1 stage bench integration -count=1 -timeout 20m ./bench
      ;;
    rollout)
      stage rollout integration -count=1 -timeout 15m ./rollout
      ;;
    versions)
      if base=$(.ci/base.sh); then
        (cd "$base/integration" && go test -c -o endtoend.test ./endtoend) || failed=1
        DUEQUEUE_TEST_EARLIER=$base/integration/endtoend.test stage versions integration -count=1 -timeout 10m -run "$versions_tests" ./endtoend
      elif [ $? -eq 3 ]; then
        note versions "$started" "NOT CHECKED: this clone lacks the last version's commit"
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
          failed=1
          note "engine-on-$server" "$started" "FAILED: no such server to run on"
        fi
      done
      ;;
    *)
      echo "test.sh: no stage called $1" >&2
      exit 2
      ;;
  esac
}

for arg in "$@"; do
  case $arg in
    +*)
      set -m
      (set +m; trap - EXIT; lines=$lines.${#beside[@]}; run "${arg#+}"; exit "$failed") >"$logs/beside.${#beside[@]}.log" 2>&1 &
      beside+=($!)
      set +m
      ;;
    *) run "$arg" ;;
  esac
done
for i in "${!beside[@]}"; do
  wait "${beside[$i]}" || failed=1
  cat "$logs/beside.$i.log" "$lines.$i" 2>/dev/null
  cat "$lines.$i" >>"$lines" 2>/dev/null
done
beside=()

printf '\n=== what ran\n'
cat "$lines"
[ $failed -eq 0 ] || echo "FAILED (whole logs in ${logs#"$PWD"/})"
exit $failed
