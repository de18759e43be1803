// Bundles one page with esbuild: HTML, script and style under target/apps/pages.
//
//   node deploy/apps/bundle.mjs [--output DIR] [NAME...]

import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { built, installPackages, lockHash, modules, sources } from "./packages.mjs";

const pages = path.join(sources, "pages");

/** Programs that a page starts beside its own. */
const workers = { monaco: "monaco-editor/editor/editor.worker.js" };

const loader = { ".ttf": "dataurl", ".woff": "dataurl", ".woff2": "dataurl", ".svg": "dataurl", ".png": "dataurl", ".gif": "dataurl" };

const head = (title, style) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title>${style ? `<link rel="stylesheet" href="/${title}.css">` : ""}
<style>body { font-family: sans-serif; margin: 16px; max-width: 900px }</style></head>
<body>
`;

const readable = (file) => access(file).then(() => true, () => false);

/** The names of all pages. */
export async function pageNames() {
  const files = await readdir(pages);
  return files.filter((file) => /\.jsx?$/.test(file)).map((file) => file.replace(/\.jsx?$/, "")).sort();
}

async function script(name) {
  const plain = path.join(pages, `${name}.js`);
  return (await readable(plain)) ? plain : `${plain}x`;
}

/** What the bundle was made from, so that it is made again only when that changed. */
async function key(name) {
  const hash = createHash("sha256").update(await lockHash());
  const shared = (await readdir(path.join(pages, "lib"))).map((file) => path.join(pages, "lib", file));
  const own = [await script(name), path.join(pages, `${name}.html`), fileURLToPath(import.meta.url)];
  for (const file of [...own, ...shared]) hash.update(await readFile(file).catch(() => ""));
  return hash.digest("hex");
}

/** Bundles a page unless an unchanged bundle is there. */
export async function bundle(name, output = path.join(built, "pages")) {
  const stamp = path.join(output, `.${name}.key`);
  const wanted = await key(name);
  if ((await readFile(stamp, "utf8").catch(() => "")) === wanted) return;
  await mkdir(output, { recursive: true });
  const esbuild = createRequire(path.join(modules, "package.json"))("esbuild");
  const common = {
    bundle: true,
    minify: true,
    nodePaths: [modules],
    format: "iife",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
    loader,
    logLevel: "error",
    legalComments: "none",
  };
  await esbuild.build({ ...common, entryPoints: [await script(name)], outfile: path.join(output, `${name}.js`) });
  if (workers[name]) {
    await esbuild.build({ ...common, entryPoints: [workers[name]], outfile: path.join(output, `${name}.worker.js`) });
  }
  const body = await readFile(path.join(pages, `${name}.html`), "utf8").catch(() => "");
  const style = await readable(path.join(output, `${name}.css`));
  await writeFile(path.join(output, `${name}.html`), `${head(name, style)}${body}<script src="/${name}.js"></script>\n</body></html>\n`);
  await writeFile(stamp, wanted);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({ options: { output: { type: "string" } }, allowPositionals: true });
  await installPackages(true, (text) => process.stderr.write(`${text}\n`));
  for (const name of positionals.length > 0 ? positionals : await pageNames()) {
    const begun = Date.now();
    await bundle(name, values.output).then(
      () => process.stderr.write(`${name}: ${Date.now() - begun} ms\n`),
      (error) => {
        process.exitCode = 1;
        process.stderr.write(`${name}: ${error.message}\n`);
      },
    );
  }
}
