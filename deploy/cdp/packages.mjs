// The clients, as the lock file pins them, under target/cdp.

import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { Unavailable } from "../apps/packages.mjs";
import { run } from "../bench/process.mjs";
import { root } from "../scratch.mjs";

const sources = path.join(root, "deploy", "cdp");
const built = path.join(root, "target", "cdp");

/** Installs what is missing; npm compares every archive with the hash in the lock file. */
export async function installClients(say) {
  const stamp = path.join(built, "installed");
  const hash = createHash("sha256");
  hash.update(await readFile(path.join(sources, "package-lock.json")));
  const wanted = hash.digest("hex");
  if ((await readFile(stamp, "utf8").catch(() => "")) !== wanted) {
    say("installing from the npm registry into target/cdp");
    await mkdir(built, { recursive: true });
    for (const name of ["package.json", "package-lock.json"]) {
      await copyFile(path.join(sources, name), path.join(built, name));
    }
    await run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: built, limit: 600_000 }).catch((error) => {
      if (/ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|network/.test(error.message)) {
        throw new Unavailable(`the npm registry cannot be reached: ${error.message.split("\n")[0]}`);
      }
      throw error;
    });
    await writeFile(stamp, wanted);
  }
  const require = createRequire(path.join(built, "package.json"));
  const puppeteer = await import(require.resolve("puppeteer-core"));
  return { playwright: require("playwright-core"), puppeteer: puppeteer.default };
}
