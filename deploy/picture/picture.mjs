// Makes docs/browse.png, the picture in the README, from a real run:
// node deploy/picture/picture.mjs <folder of the binaries> <output file>
//
// It runs the commands below on page.html, served on loopback under the name
// of a shop, and sets what they printed beside the annotated screenshot of the
// page. `browse` itself takes the picture of the result.

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { serveAs } from "../demo/site.mjs";
import { Scratch } from "../scratch.mjs";

const host = "shop.example";
const size = { width: 1320, height: 520 };

const escape = (text) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Runs one command and returns it with its output, as a terminal shows them. */
async function show(scratch, args) {
  const output = await scratch.must(args);
  return `<b>$ browse ${escape(args.join(" "))}</b>\n${escape(output)}`;
}

function document(terminal, picture) {
  return `<!doctype html><meta charset="utf-8"><title>browse</title><style>
    * { box-sizing: border-box; }
    body { margin: 0; padding: 18px; width: ${size.width}px; height: ${size.height}px; background: #dfe5e2;
      display: grid; grid-template-columns: 1fr 620px; gap: 18px; align-items: start; }
    pre { margin: 0; padding: 14px 18px; border-radius: 9px; background: #16212a; color: #cdd9df; height: 484px;
      font: 13.5px/1.42 "DejaVu Sans Mono", monospace; overflow: hidden; white-space: pre-wrap; }
    b { color: #8fe0b0; }
    img { width: 620px; border-radius: 9px; border: 1px solid #b5c2bc; }
  </style><pre>${terminal}</pre><img src="data:image/png;base64,${picture.toString("base64")}">`;
}

async function main([binaries, output]) {
  const site = await serveAs(host, fileURLToPath(new URL("page.html", import.meta.url)));
  const scratch = await Scratch.open(binaries, { BROWSE_CHROMIUM_ARGS: site.chromiumArguments });
  try {
    await scratch.must(["viewport", "620x470"]);
    const shown = [
      await show(scratch, ["goto", `https://${host}/`]),
      await show(scratch, ["snapshot", "-i"]),
      await show(scratch, ["fill", "label=Search", "hand"]),
      await show(scratch, ["click", "@e6"]),
      `<b>$ browse snapshot -ia -o page.png</b>`,
    ];
    await scratch.must(["snapshot", "-ia", "-o", "page.png"]);
    const picture = await readFile(path.join(scratch.project, "page.png"));
    await writeFile(path.join(scratch.project, "picture.html"), document(shown.join("\n"), picture));
    await scratch.must(["newtab"]);
    await scratch.must(["viewport", `${size.width}x${size.height}`]);
    await scratch.must(["load-html", "picture.html"]);
    await scratch.must(["screenshot", "--viewport", "picture.png"]);
    await writeFile(output, await readFile(path.join(scratch.project, "picture.png")));
  } finally {
    await scratch.close();
    site.close();
  }
}

await main(process.argv.slice(2));
