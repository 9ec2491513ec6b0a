#!/usr/bin/env bash
# Puts the golden rows of the Jackson codecs of one release into the testdata of
# the packages that read them:
#   rows.sh VERSION JARS
# JARS is a directory with the jars of that release of Redisson and of what its codecs
# need: jackson-databind, -dataformat-cbor, -smile, -ion, -avro, -datatype-jsr310 and
# jackson-dataformat-msgpack, and their Jackson 3 twins from 4.1.0 on.
# The rows in the tree are from the Jackson that each release names (2.9.6, 2.10.3, 2.14.1,
# 2.14.1, 2.17.0, 2.18.2, 2.20.0 with 3.0.1, 2.21.3 with 3.1.3); Ion and MessagePack of
# 4.7.0 from the release next to it (2.21.2, 3.1.4; 0.9.11).
# Run it for the newest release first: the files of the others hold only the rows that
# differ from the newest's, and rows with an option only where they differ from the
# codec without.
set -euo pipefail
newest=4.7.0
version=${1:?usage: rows.sh VERSION JARS}
jars=${2:?usage: rows.sh VERSION JARS}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../../../../..
LC_ALL=$("$here/../../../locale.sh")
export LC_ALL
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

mkdir "$out/classes" "$out/rows"
javac -nowarn -Xlint:-options -encoding UTF-8 -proc:none -cp "$jars/*" -d "$out/classes" $(find "$here" -name '*.java')
# These ran on Java 8, where Jackson reached private fields of java.* too.
open=()
case $version in
  3.8.1 | 3.12.5)
    for name in lang lang.invoke math net nio time util util.concurrent util.concurrent.atomic util.regex; do
      open+=(--add-opens "java.base/java.$name=ALL-UNNAMED")
    done
    ;;
esac
java "${open[@]}" -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dfile.encoding=UTF-8 -cp "$out/classes:$jars/*" Rows "$out/rows" 2>/dev/null

put() { # PACKAGE CODEC...
  local dir=$root/codecs/$1/testdata codec base
  shift
  mkdir -p "$dir"
  : >"$out/all"
  for codec in "$@"; do
    [ -f "$out/rows/$codec.tsv" ] || continue
    base=${codec%%+*}
    if [ "$base" = "$codec" ]; then cat "$out/rows/$codec.tsv"; else differ "$out/rows/$base.tsv" "$out/rows/$codec.tsv"; fi >>"$out/all"
  done
  if [ "$version" = "$newest" ]; then cp "$out/all" "$dir/$version.tsv"; else differ "$dir/$newest.tsv" "$out/all" >"$dir/$version.tsv"; fi
}

# differ A B prints the rows of B that are not in A; the option's name, the text of
# exceptions and a bean's hash code do not count.
differ() {
  awk -F'\t' '
    function plain(x) { sub(/^WRITEFAIL.*/, "WRITEFAIL", x); return x }
    NR == FNR { v[$1 FS $2 FS $3] = plain($4); next }
    { k = $1 FS $2 FS $3; if (!(k in v)) { sub(/\+[A-Za-z]*/, "", k) } if (!(k in v) || v[k] != plain($4)) print }' "$1" "$2"
}

put jackson JsonJacksonCodec TypedJsonJacksonCodec JsonJackson3Codec TypedJsonJackson3Codec \
  JsonJacksonCodec+JavaTime JsonJacksonCodec+DatesAsText TypedJsonJacksonCodec+JavaTime TypedJsonJacksonCodec+DatesAsText
put msgpack MsgPackJacksonCodec
put cbor CborJacksonCodec CborJackson3Codec
put smile SmileJacksonCodec SmileJackson3Codec
put ion IonJacksonCodec IonJackson3Codec
