// The page that stands in for Hacker News when there is no network: the newest
// fixture of the bundled skill.

import { readdir } from "node:fs/promises";
import path from "node:path";
import { root } from "../scratch.mjs";

export const host = "news.ycombinator.com";
export const skill = "hackernews-frontpage";

export async function fixture() {
  const folder = path.join(root, "browser-skills", skill, "fixtures");
  const pages = (await readdir(folder)).filter((name) => name.startsWith(host) && name.endsWith(".html"));
  if (pages.length === 0) throw new Error(`\`${folder}\` holds no page of ${host}`);
  return path.join(folder, pages.sort().at(-1));
}
