// The peers, and the second runtime of TypeScript, at pinned versions, in a
// scratch folder: never a dependency.
//
// gstack's browse is not on npm, so it is not measured.

import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../scratch.mjs";
import { run } from "./process.mjs";

export const pinned = { "agent-browser": "0.41.2", "@playwright/cli": "0.1.22", bun: "1.4.5" };

const folder = path.join(root, "target", "bench", "peers");

async function installedVersion(name) {
  const manifest = path.join(folder, "node_modules", name, "package.json");
  return readFile(manifest, "utf8").then((text) => JSON.parse(text).version, () => undefined);
}

/** Installs what is missing, and says where the programs are. */
export async function installPeers(say) {
  const missing = [];
  for (const [name, version] of Object.entries(pinned)) {
    if ((await installedVersion(name)) !== version) missing.push(`${name}@${version}`);
  }
  if (missing.length > 0) {
    say(`installing from the npm registry into target/bench/peers: ${missing.join(" ")}`);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "package.json"), '{"private": true}\n');
    // No install scripts: they would download browsers.
    await run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", ...missing], {
      cwd: folder,
    });
  }
  const modules = path.join(folder, "node_modules");
  // The native program itself: its npm launcher would add the start of node.
  const agentBrowser = path.join(modules, "agent-browser", "bin", `agent-browser-${process.platform}-${process.arch}`);
  // So would bun's, which its install script would replace by the program.
  const bun = path.join(modules, "@oven", `bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : "x64"}`, "bin");
  await chmod(agentBrowser, 0o755);
  await chmod(path.join(bun, "bun"), 0o755);
  return { agentBrowser, bun, playwright: path.join(modules, "@playwright", "cli", "playwright-cli.js") };
}
