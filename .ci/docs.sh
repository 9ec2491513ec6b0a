#!/usr/bin/env bash
# Builds the site of the documentation into bin/docs: the Markdown files of this tree, the help of
# all commands, a page for each package, and what make bench and make chaos have written, with a
# search that needs no server. A link or an anchor that leads nowhere fails it. Reads nothing but this tree and the tools that docs/requirements.txt pins.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null

tools=$PWD/.cache/docs-tools-$(sha256sum .ci/docs/requirements.txt | cut -c-12)
stage=$PWD/.cache/docs
out=$PWD/bin/docs

if [ ! -e "$tools/.done" ]; then
  echo "docs: installing what builds it (once)"
  rm -rf "$tools"
  python3 -m pip install --quiet --root-user-action=ignore --disable-pip-version-check --no-deps --target "$tools" -r .ci/docs/requirements.txt
  touch "$tools/.done"
fi

rm -rf "$stage" "$out"
mkdir -p "$stage/assets"
find README.md CHANGELOG.md codecs registry handlers framework examples integration -name '*.md' -not -path '*/testdata/*' -not -path '*/target/*' -print0 |
  xargs -0 cp --parents -t "$stage"
cp --parents -r framework/web/pictures "$stage"
go run ./framework/cmd/duequeue help manual >"$stage/framework/COMMANDS.md"
if compgen -G 'bin/results/*.md' >/dev/null; then
  mkdir -p "$stage/results"
  cp bin/results/*.md "$stage/results"
fi
cp LICENSE "$stage/LICENSE.txt"
cp .ci/docs/iframe-worker.js "$stage/assets" # lets the search run where pages are files

# Each package has a page with what "go doc" says of it.
module=$(go list -m)
mkdir "$stage/packages"
for package in $(go list ./codecs/... ./framework/... ./handlers/... ./registry/... | grep -v -e /internal/ -e /cmd/); do
  page=$stage/packages/${package#"$module"/}.md
  mkdir -p "$(dirname "$page")"
  {
    printf '# %s\n\n```go\n' "${package#"$module"/}"
    go doc -all "./${package#"$module"/}"
    printf '```\n'
  } >"$page"
done

PYTHONPATH=$tools PYTHONDONTWRITEBYTECODE=1 NO_MKDOCS_2_WARNING=1 python3 -m mkdocs --quiet build --strict --config-file .ci/docs/mkdocs.yml
! grep -rlE '<(script|link|img)[^>]+(src|href)="https?:' "$out" --include='*.html' | head -3 | grep . ||
  { echo "docs: these pages load something from outside" >&2; exit 1; }
echo "docs: $(find "$out" -name '*.html' | wc -l) pages in ${out#"$PWD"/}: open ${out#"$PWD"/}/index.html"
