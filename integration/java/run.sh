#!/usr/bin/env bash
# A Java service for people to try beside the Go examples:
#   run.sh VERSION produce redis://127.0.0.1:6379 ORDER_PAYMENT_TIMEOUT [SECONDS [ORDER-ID]]
#   run.sh VERSION consume redis://127.0.0.1:6379 ORDER_PAYMENT_TIMEOUT [COUNT]
# VERSION is a Redisson release from 3.19.0 on, for example 3.52.0: their default
# codec, Kryo 5, is the Go examples' too.
set -euo pipefail
usage() { sed -n '2,6p' "${BASH_SOURCE[0]}" | cut -c3- >&2; exit 2; }

[ $# -ge 4 ] || usage
version=$1
case $2 in
  produce) main=OrderProducer ;;
  consume) main=OrderConsumer ;;
  *) usage ;;
esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$here/build.sh" "$version"
LC_ALL=$("$here/locale.sh") exec java "@$here/target/$version/java.args" "duequeue.interop.$main" "${@:3}"
