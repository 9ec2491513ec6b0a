#!/usr/bin/env bash
# Builds the command line for all platforms into bin/release, with checksums and a list of what is
# in it (SBOM, CycloneDX). The same commit gives the same bytes on every machine with the same Go:
# no paths, no times, no build ids.
# First it builds linux/amd64 twice, the second time elsewhere with an empty cache, and compares.
# Usage: release.sh VERSION          all platforms
#        release.sh VERSION check    that comparison alone
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null

version=$1
cyclonedx=v1.10.0
platforms=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64)
out=$PWD/bin/release

grep -q "^## \[$version\]" CHANGELOG.md || { echo "release: CHANGELOG.md has no section [$version]" >&2; exit 1; }
if [ "${2:-}" = check ]; then
  revision=unreleased
elif ! revision=$(git rev-parse HEAD); then
  echo "release: this is no git clone: the binaries name the commit that they are of" >&2
  exit 1
elif ! git diff --quiet HEAD; then
  echo "release: there are changes that are not committed: the binaries would not be those of $revision" >&2
  exit 1
fi

build() { # build SOURCE PLATFORM FILE
  (cd "$1" && CGO_ENABLED=0 GOOS=${2%/*} GOARCH=${2#*/} GOFLAGS=-mod=readonly go build -trimpath -buildvcs=false \
    -ldflags "-s -w -buildid= -X main.release=$version -X main.revision=$revision" -o "$3" ./framework/cmd/duequeue)
}

name() { # name PLATFORM
  local exe=
  [ "${1%/*}" = windows ] && exe=.exe
  echo "duequeue_${version}_${1%/*}_${1#*/}$exe"
}

dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
build . linux/amd64 "$dir/one"
mkdir "$dir/elsewhere"
tar -c --exclude=./.git --exclude=./.cache --exclude=./bin --exclude=./integration . | tar -x -C "$dir/elsewhere"
(export GOCACHE=$dir/cache && build "$dir/elsewhere" linux/amd64 "$dir/two")
cmp "$dir/one" "$dir/two" || { echo "release: two builds of one source differ" >&2; exit 1; }
said=$("$dir/one" version)
[[ $said == "duequeue $version ($revision)"* ]] || { echo "release: the program says: $said" >&2; exit 1; }
file=$(ldd "$dir/one" 2>&1 || true)
[[ $file == *"not a dynamic executable"* ]] || { echo "release: it is not static: $file" >&2; exit 1; }
echo "release: two builds in two places are the same ($(sha256sum <"$dir/one" | cut -c-16)…, $(stat -c %s "$dir/one") bytes)"
if [ "${2:-}" = check ]; then exit; fi

rm -rf "$out"
mkdir -p "$out"
for platform in "${platforms[@]}"; do
  build . "$platform" "$out/$(name "$platform")"
  echo "release: $(name "$platform")"
done
mkdir -p .cache/bin
GOBIN=$PWD/.cache/bin go install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$cyclonedx
.cache/bin/cyclonedx-gomod app -json -noserial -main framework/cmd/duequeue -output "$out/duequeue_$version.cdx.json" . 2>/dev/null
# The time of the commit, in place of now.
sed -i -E "s/\"timestamp\": \"[^\"]*\"/\"timestamp\": \"$(TZ=UTC git show -s --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd HEAD)\"/" "$out/duequeue_$version.cdx.json"
(cd "$out" && sha256sum -- duequeue_* >SHA256SUMS)
echo "release: $out"
cat "$out/SHA256SUMS"
