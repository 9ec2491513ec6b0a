#!/usr/bin/env bash
# Prints the name of a locale of this machine whose characters are UTF-8, for LC_ALL:
# without one Java neither writes nor finds a class with a name outside ASCII, whatever
# -Dfile.encoding says. A bare container has no LANG, and its locale is then ASCII.
set -uo pipefail

utf8() { # utf8 LOCALE: bash counts the three bytes of one character as one
  local one=$'\xe4\xb8\xad'
  (LC_ALL=C && LC_ALL=$1 && [ ${#one} -eq 1 ]) 2>/dev/null # a locale that is not there changes nothing
}

for name in C.UTF-8 en_US.UTF-8 "${LC_ALL:-${LC_CTYPE:-${LANG:-C}}}" $(locale -a 2>/dev/null | grep -i 'utf-\?8$'); do
  if utf8 "$name"; then
    printf '%s\n' "$name"
    exit 0
  fi
done
echo "locale.sh: this machine has no UTF-8 locale (such as C.UTF-8): classes with names outside ASCII will not compile" >&2
printf '%s\n' C
