// The peers, and the second runtime of TypeScript, at pinned versions, in a
// scratch folder: never a dependency.
//
// gstack's browse is not on npm, so it is not measured.

import { access, chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../scratch.mjs";
import { run } from "./process.mjs";

export const pinned = { "agent-browser": "0.41.2", "@playwright/cli": "0.1.22", bun: "1.4.5" };

/** The MCP servers that ours is measured beside. */
const pinnedMcp = { "agent-browser": pinned["agent-browser"], "@playwright/mcp": "0.0.83", "chrome-devtools-mcp": "1.11.0" };

const folder = path.join(root, "target", "bench", "peers");

async function installedVersion(name) {
  const manifest = path.join(folder, "node_modules", name, "package.json");
  return readFile(manifest, "utf8").then((text) => JSON.parse(text).version, () => undefined);
}

/** agent-browser alone, which the applications are tried with, too. */
export async function installAgentBrowser(say) {
  await install({ "agent-browser": pinned["agent-browser"] }, say);
  return nativeAgentBrowser();
}

// The native program itself: its npm launcher would add the start of node.
async function nativeAgentBrowser() {
  const program = path.join(folder, "node_modules", "agent-browser", "bin", `agent-browser-${process.platform}-${process.arch}`);
  await chmod(program, 0o755);
  return program;
}

async function install(versions, say) {
  const missing = [];
  for (const [name, version] of Object.entries(versions)) {
    if ((await installedVersion(name)) !== version) missing.push(`${name}@${version}`);
  }
  if (missing.length > 0) {
    say(`installing from the npm registry into target/bench/peers: ${missing.join(" ")}`);
    await mkdir(folder, { recursive: true });
    // One that is there names what is installed already, which npm would remove otherwise.
    await writeFile(path.join(folder, "package.json"), '{"private": true}\n', { flag: "wx" }).catch(() => {});
    // No install scripts: they would download browsers.
    await run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", ...missing], {
      cwd: folder,
    });
  }
}

/** Installs what is missing, and says where the programs are. */
export async function installPeers(say) {
  await install(pinned, say);
  const modules = path.join(folder, "node_modules");
  const agentBrowser = await nativeAgentBrowser();
  // The native program here as well, which bun's install script would put there.
  const bun = path.join(modules, "@oven", `bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : "x64"}`, "bin");
  await chmod(path.join(bun, "bun"), 0o755);
  return { agentBrowser, bun, playwright: path.join(modules, "@playwright", "cli", "playwright-cli.js") };
}

/** Installs the MCP servers of others, and says where they are. */
export async function installMcpPeers(say) {
  await install(pinnedMcp, say);
  const modules = path.join(folder, "node_modules");
  return {
    agentBrowser: await nativeAgentBrowser(),
    playwright: path.join(modules, "@playwright", "mcp", "cli.js"),
    devtools: path.join(modules, "chrome-devtools-mcp", "build", "src", "bin", "chrome-devtools-mcp.js"),
  };
}

/** The full Chromium, which the peers are given: they know no headless shell. */
export async function peersChromium() {
  const places = [process.env.BENCH_CHROMIUM, "/usr/bin/chromium", "/opt/google/chrome/chrome"];
  for (const place of places.filter(Boolean)) {
    if (await access(place).then(() => true, () => false)) return place;
  }
  throw new Error("no full Chromium for the peers: set BENCH_CHROMIUM");
}
