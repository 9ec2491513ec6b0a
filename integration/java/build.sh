#!/usr/bin/env bash
# Makes the Java program ready for one Redisson release: resolves its jars by
# Maven, compiles, and writes target/VERSION/java.args, so that
#   LC_ALL=$(integration/java/locale.sh) java @integration/java/target/VERSION/java.args CLASS ARGUMENTS
# runs it. Does nothing when that is done already.
# Usage: build.sh VERSION
set -euo pipefail

version=${1:?usage: build.sh VERSION}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$here/target/$version
sources="$here/src/main/java $here/src/vectors/java"

die() { echo "build.sh: $*" >&2; exit 1; }

LC_ALL=$("$here/locale.sh")
export LC_ALL

for tool in java javac mvn; do
  command -v "$tool" >/dev/null || die "$tool is missing: run 'make setup', or install JDK 17 and Maven"
done

mkdir -p "$target"
# One builder at a time: test processes may ask for the same release at once.
exec 9>"$target/lock"
flock 9

stamp=$(cd "$here" && find src pom.xml optional.txt build.sh locale.sh -type f | LC_ALL=C sort | xargs cat | sha256sum | cut -d' ' -f1)
if [ -f "$target/java.args" ] && [ "$(cat "$target/stamp" 2>/dev/null)" = "$stamp" ]; then
  exit 0
fi
rm -f "$target/java.args" "$target/stamp"

# The POM of this release: with its optional libraries.
pom=$target/pom.xml
awk -v release="$version" -F '[ :]' '$1 == release {
  printf "    <dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>\n", $2, $3, $4
}' "$here/optional.txt" >"$target/optional.xml"
sed -e "/<!-- optional -->/r $target/optional.xml" "$here/pom.xml" >"$pom"

sum=$(sha256sum <"$pom")
if [ "$(cat "$target/resolved" 2>/dev/null)" != "$sum" ]; then
  rm -rf "$target/lib"
  echo "build.sh: resolving Redisson $version by Maven" >&2
  if ! mvn -q -B -f "$pom" "-Dredisson.version=$version" dependency:copy-dependencies \
      -DincludeScope=runtime "-DoutputDirectory=$target/lib" </dev/null >"$target/maven.log" 2>&1; then
    tail -n 20 "$target/maven.log" >&2
    die "Maven could not resolve org.redisson:redisson:$version. It needs its repository once per release (or a filled local repository, ~/.m2); the whole log is $target/maven.log"
  fi
  printf '%s\n' "$sum" >"$target/resolved"
fi

# What each release needs on JDK 17.
before=
flags=()
open() { for name in "$@"; do flags+=(--add-opens "$name=ALL-UNNAMED"); done; }
case $version in
  3.8.1 | 3.10.0)
    before=$target/standin
    rm -rf "$before" && mkdir -p "$before"
    javac -nowarn -encoding UTF-8 -d "$before" $(find "$here/src/standin/java" -name '*.java')
    ;;
esac
case $version in
  3.10.0 | 3.12.5) # FST
    open java.base/java.lang java.base/java.math java.base/java.util java.base/java.util.concurrent \
      java.base/java.util.concurrent.atomic java.base/java.util.concurrent.locks java.base/java.net java.base/java.text java.base/java.time \
      java.sql/java.sql
    ;;
  3.19.0) # Kryo 5.3.0 reads and writes UUID, URI and Pattern field by field
    open java.base/java.util java.base/java.util.regex java.base/java.net java.base/java.util.concurrent.atomic
    ;;
  3.19.* | 3.2?.* | 3.3?.* | 3.45.1) # Kryo reads and writes Atomic* field by field
    open java.base/java.util.concurrent.atomic
    ;;
esac

rm -rf "$target/classes"
# Some of the classes behind the vectors have annotations of Kryo.
[ -z "$(find "$target/lib" -name 'kryo-5*.jar')" ] || sources="$sources $here/src/vectors/kryo"
[ -z "$(find "$target/lib" -name 'fastjson2-*.jar')" ] || sources="$sources $here/src/annotated/java $here/src/services/java" # see optional.txt
[ -z "$(find "$target/lib" -name 'protobuf-java-*.jar')" ] || sources="$sources $here/src/protobuf/java"
javac -nowarn -Xlint:-options -encoding UTF-8 -proc:none -cp "$target/lib/*" -d "$target/classes" $(find $sources -name '*.java') ||
  die "the Java program does not compile on Redisson $version"

{
  printf '%s\n' -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dfile.encoding=UTF-8 "${flags[@]}"
  printf -- '-cp "%s"\n' "${before:+$before:}$target/classes:$target/lib/*"
} >"$target/java.args"
printf '%s\n' "$stamp" >"$target/stamp"
