#!/usr/bin/env bash
# The packages for npm: deploy/dist/npm.sh TREE OUT
#
# The SDK, the launcher, and the programs of the tree as the package of this platform. The same
# tree, Node and npm give the same bytes.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$root/deploy/setup/node.sh"
. "$root/deploy/dist/release.sh"
release_arguments npm.sh "$@"
have npm || fail "npm is missing" "run \`make setup\` first"
export release_source

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# npm keeps the modes of files.
umask 022
mkdir -p "$stage"/{sdk,cli/man,platform,made}

# `dist/browse.ts` is generated, and only that file is compiled.
"$root/deploy/gen.sh" --dist
install_node_modules
"$root/sdk-ts/node_modules/.bin/tsc" -p "$root/sdk-ts/tsconfig.build.json" --outDir "$stage/sdk/dist"
cp "$root/sdk-ts/package.json" "$stage/sdk"
release_readme "$root/sdk-ts/README.md" >"$stage/sdk/README.md"

cp "$root"/deploy/dist/npm/{launch.js,launch.sh,browse.js,browse-mcp.js} "$stage/cli"
cp "$tree"/share/man/man1/* "$stage/cli/man"
release_readme "$root/deploy/dist/npm/README.md" >"$stage/cli/README.md"

cp -R "$tree/bin" "$stage/platform"
mkdir "$stage/platform/share"
cp -R "$tree"/share/{browse,doc} "$stage/platform/share"
rm "$stage/platform/share/doc/browse/README.md"
release_drop_fleet "$stage/platform"
for folder in sdk cli platform; do cp "$root/LICENSE" "$stage/$folder"; done

# shellcheck disable=SC2086 # a list of names
node "$root/deploy/dist/npm/manifests.mjs" "$stage" "$release_npm_scope" "$version" "$platform" $release_platforms
printf '# %s\n\nThe programs of %s. Install that one.\n' "$(node -p "require('$stage/platform/package.json').name")" \
  "$release_npm_scope/browse" >"$stage/platform/README.md"
find "$stage" -type d -exec chmod 755 {} +
find "$stage"/{sdk,cli} "$stage/platform/share/doc" -type f -exec chmod 644 {} +
chmod 755 "$stage"/cli/browse.js "$stage"/cli/browse-mcp.js
# A home of its own: the settings of the caller must not change what is packed.
for folder in sdk cli platform; do
  (cd "$stage/$folder" && HOME=$stage npm pack --silent --ignore-scripts --pack-destination "$stage/made" >/dev/null)
done
install -m 644 "$stage"/made/* "$out"
(cd "$stage/made" && say "npm: $(du -h --apparent-size -- * | tr '\t\n' '  ')")
