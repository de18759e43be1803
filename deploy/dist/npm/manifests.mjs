// Writes the package.json of each package for npm: node manifests.mjs STAGE SCOPE VERSION PLATFORM RELEASED
//
// STAGE has the folders sdk, cli and platform with everything else in place. PLATFORM is that of
// the programs, RELEASED lists those of the release; both have the names of Rust.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const [stage, scope, version, platform, ...released] = process.argv.slice(2);
const source = process.env.release_source ?? "";

/** What npm calls a platform of Rust: where its package may be installed, and the end of its name. */
const PLATFORMS = {
  "x86_64-unknown-linux-gnu": { suffix: "linux-x64-gnu", os: ["linux"], cpu: ["x64"], libc: ["glibc"] },
  "aarch64-unknown-linux-gnu": { suffix: "linux-arm64-gnu", os: ["linux"], cpu: ["arm64"], libc: ["glibc"] },
};

const known = (name) => {
  if (PLATFORMS[name]) return PLATFORMS[name];
  process.stderr.write(`error: ${name} has no name on npm yet\nhint: add it to deploy/dist/npm/manifests.mjs\n`);
  process.exit(1);
};
const { suffix, ...limits } = known(platform);

const common = {
  version,
  license: "Apache-2.0",
  keywords: ["browser", "automation", "agent", "chromium", "mcp"],
  // npm takes a package with a scope for a private one otherwise.
  publishConfig: { access: "public" },
  ...(source ? { homepage: source } : {}),
};

const sdk = JSON.parse(readFileSync(path.join(stage, "sdk/package.json"), "utf8"));
const { private: _, scripts, devDependencies, ...published } = sdk;

const manifests = {
  sdk: { ...published, name: `${scope}/sdk`, ...common },
  cli: {
    name: `${scope}/browse`,
    description: "One persistent Chromium per project for agents, scripts and people: the commands browse and browse-mcp.",
    ...common,
    engines: { node: ">=18" },
    bin: { browse: "browse.js", "browse-mcp": "browse-mcp.js" },
    man: readdirSync(path.join(stage, "cli/man")).sort().map((page) => `./man/${page}`),
    files: ["*.js", "launch.sh", "man"],
    optionalDependencies: Object.fromEntries(released.map((name) => [`${scope}/browse-${known(name).suffix}`, version])),
  },
  platform: {
    name: `${scope}/browse-${suffix}`,
    description: `The programs of ${scope}/browse for ${platform}.`,
    ...common,
    ...limits,
    // Programs cannot be run from the zip files of Yarn.
    preferUnplugged: true,
    files: ["bin", "share"],
  },
};

for (const [folder, manifest] of Object.entries(manifests)) {
  writeFileSync(path.join(stage, folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}
