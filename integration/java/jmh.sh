#!/usr/bin/env bash
# Builds the benchmarks of codecs on the JVM (once) and runs them:
#   jmh.sh [JMH-ARGUMENTS…], for example  jmh.sh -f 1 -rf json -rff result.json
# The payloads come from codecs/*/testdata/bench.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$here/target/jmh

die() { echo "jmh.sh: $*" >&2; exit 1; }

LC_ALL=$("$here/locale.sh")
export LC_ALL

for tool in java javac mvn; do
  command -v "$tool" >/dev/null || die "$tool is missing: run 'make setup', or install JDK 17 and Maven"
done

mkdir -p "$target"
exec 9>"$target/lock"
flock 9
stamp=$(cd "$here" && find src/jmh src/main/java/duequeue/bench jmh.xml jmh.sh locale.sh -type f | LC_ALL=C sort | xargs cat | sha256sum | cut -d' ' -f1)
if [ "$(cat "$target/stamp" 2>/dev/null)" != "$stamp" ]; then
  rm -rf "$target/classes" "$target/stamp"
  if [ "$(cat "$target/resolved" 2>/dev/null)" != "$(sha256sum <"$here/jmh.xml")" ]; then
    rm -rf "$target/lib"
    mvn -q -B -f "$here/jmh.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$target/lib" \
      </dev/null >"$target/maven.log" 2>&1 || { tail -n 20 "$target/maven.log" >&2; die "Maven could not resolve jmh.xml"; }
    sha256sum <"$here/jmh.xml" >"$target/resolved"
  fi
  mkdir -p "$target/classes"
  javac -nowarn -Xlint:-options -encoding UTF-8 -cp "$target/lib/*" -d "$target/classes" \
    $(find "$here/src/jmh/java" "$here/src/main/java/duequeue/bench" -name '*.java') || die "the benchmarks do not compile"
  printf '%s\n' "$stamp" >"$target/stamp"
fi
flock -u 9

opens=()
# FST reads and writes JDK classes field by field.
for name in java.lang java.math java.util java.util.concurrent java.util.concurrent.atomic java.net java.text java.time; do
  opens+=(--add-opens "java.base/$name=ALL-UNNAMED")
done
# JMH locks the machine for itself; a run beside another one only has the more noise.
exec java -Djmh.ignoreLock=true "${opens[@]}" --add-opens java.sql/java.sql=ALL-UNNAMED -Xmx512m "-Dduequeue.codecs=$here/../../codecs" \
  -cp "$target/classes:$target/lib/*" org.openjdk.jmh.Main "$@"
