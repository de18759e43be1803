// The packages of the applications, as the lock file pins them, under
// target/apps. They are never committed: some are under the GPL.

import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { run } from "../bench/process.mjs";
import { root } from "../scratch.mjs";

export const sources = path.join(root, "deploy", "apps");
export const built = path.join(root, "target", "apps");
export const modules = path.join(built, "node_modules");

/** The registry gave nothing, and nothing usable was there before. */
export class Unavailable extends Error {}

/** Names the state of the lock file. */
export async function lockHash() {
  const hash = createHash("sha256");
  hash.update(await readFile(path.join(sources, "package.json")));
  hash.update(await readFile(path.join(sources, "package-lock.json")));
  return hash.digest("hex");
}

/**
 * Installs what is missing; npm compares every archive with the hash in the lock
 * file. `all` adds the devDependencies, which the quick part does without.
 */
export async function installPackages(all, say) {
  const stamp = path.join(built, "installed");
  const hash = await lockHash();
  const [installed, extent] = (await readFile(stamp, "utf8").catch(() => "")).split(" ");
  if (installed === hash && (extent === "all" || !all)) return;
  say(`installing from the npm registry into target/apps${all ? "" : " what the quick part needs"}`);
  await mkdir(built, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) {
    await copyFile(path.join(sources, name), path.join(built, name));
  }
  // No install scripts: nothing of these packages runs here but esbuild.
  const omit = all ? [] : ["--omit=dev"];
  await run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", ...omit], {
    cwd: built,
    limit: 600_000,
  }).catch((error) => {
    if (/ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|network/.test(error.message)) {
      throw new Unavailable(`the npm registry cannot be reached: ${error.message.split("\n")[0]}`);
    }
    throw error;
  });
  await writeFile(stamp, `${hash} ${all ? "all" : "quick"}`);
}
