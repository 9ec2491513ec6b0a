#!/usr/bin/env bash
# Compares the API of all packages with that of the last version (.ci/base) and prints what is
# new and what has changed, but for the examples, which no program imports. Fails where a change breaks programs and .ci/api-changes does not
# name it, or names one that is none. Status 3: not checked.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

module=$(go list -m)
base=$(.ci/base.sh) || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
diff() { # diff FILE FLAGS: apidiff's lines, of symbols and of whole packages
  local to=$1
  shift
  if ! "$PWD/.cache/bin/apidiff" -m "$@" "$work/base" "$work/now" >"$work/said" 2>"$work/stderr"; then
    cat "$work/stderr"
    echo "apidiff: it did not run to its end" >&2
    exit 1
  fi
  sed -n -e 's/^- \.\///p' -e 's/^- package /package /p' "$work/said" | grep -v "^examples/\|^package $module/examples" | sort >"$to"
}
for of in base now; do
  dir=$PWD
  [ $of = now ] || dir=$base
  (cd "$dir" && "$OLDPWD/.cache/bin/apidiff" -m -w "$work/$of" "$module") >"$work/stderr" 2>&1 || {
    cat "$work/stderr"
    exit 1
  }
done
diff "$work/breaks" -incompatible
diff "$work/all"
echo "since $(cut -c-12 .ci/base): $(comm -23 "$work/all" "$work/breaks" | wc -l) additions, $(wc -l <"$work/breaks") changes that break programs"
comm -23 "$work/all" "$work/breaks" | sed 's/^/  + /'
sed 's/^/  ! /' "$work/breaks"
grep -v '^ *\(#\|$\)' .ci/api-changes | sort >"$work/named"
if ! comm -3 "$work/breaks" "$work/named" | grep -q .; then
  exit 0
fi
comm -23 "$work/breaks" "$work/named" | sed 's/^/apidiff: breaks programs and is not named in .ci\/api-changes, with its reason, nor in CHANGELOG.md: /'
comm -13 "$work/breaks" "$work/named" | sed 's/^/apidiff: .ci\/api-changes names what is no change: /'
exit 1
