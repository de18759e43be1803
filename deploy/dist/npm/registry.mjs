// A registry for npm on loopback with the packages of a folder: node registry.mjs FOLDER
//
// It prints its address. Every other package is unknown to it.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";

const folder = process.argv[2];
const packages = new Map();
const files = new Map();
let address;

for (const file of readdirSync(folder).filter((name) => name.endsWith(".tgz"))) {
  const bytes = readFileSync(path.join(folder, file));
  const manifest = JSON.parse(execFileSync("tar", ["-xzOf", path.join(folder, file), "package/package.json"], { encoding: "utf8" }));
  packages.set(manifest.name, { manifest, file, integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}` });
  files.set(`/-/${file}`, bytes);
}

function document({ manifest, file, integrity }) {
  const dist = { tarball: `${address}/-/${file}`, integrity };
  const { name, version } = manifest;
  return JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } });
}

const server = createServer((request, response) => {
  const found = packages.get(decodeURIComponent(request.url.slice(1)));
  const body = found ? document(found) : files.get(request.url);
  response.writeHead(body ? 200 : 404, found ? { "content-type": "application/json" } : {});
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  address = `http://127.0.0.1:${server.address().port}`;
  console.log(address);
});
