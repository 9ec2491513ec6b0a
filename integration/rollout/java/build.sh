#!/usr/bin/env bash
# Makes the fat jar of the order service, target/BOOT/orders-1.jar below this folder, for a
# version of Spring Boot and one of Redisson's starter. Does nothing when that is done already.
# Usage: build.sh BOOT REDISSON
set -euo pipefail

boot=${1:?usage: build.sh BOOT REDISSON} redisson=${2:?usage: build.sh BOOT REDISSON}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$here/target/$boot
mkdir -p "$work"
exec 9>"$work/lock"
flock 9
stamp=$(cd "$here" && { echo "$redisson"; find src pom.xml build.sh -type f | LC_ALL=C sort | xargs cat; } | sha256sum | cut -d' ' -f1)
[ "$(cat "$work/stamp" 2>/dev/null)" != "$stamp" ] || exit 0
rm -rf "$work/src" "$work/target"
cp -r "$here/src" "$work"
sed -e "s/>BOOT</>$boot</" -e "s/>REDISSON</>$redisson</" "$here/pom.xml" >"$work/pom.xml"
if ! LC_ALL=C.UTF-8 mvn -q -B -f "$work/pom.xml" package </dev/null >"$work/maven.log" 2>&1; then
  tail -n 20 "$work/maven.log" >&2
  echo "build.sh: Maven could not build the order service with Spring Boot $boot and Redisson $redisson; the whole log is $work/maven.log" >&2
  exit 1
fi
cp "$work/target/orders-1.jar" "$work/orders-1.jar"
rm -rf "$work/src" "$work/target"
printf '%s\n' "$stamp" >"$work/stamp"
