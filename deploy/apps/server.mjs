// The pages on loopback: the bundles as files, and the shop, which is a server of
// its own at every start.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { shop } from "./shop.mjs";

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };

/** What the page of swagger-ui tries out. */
async function pets(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const id = Number(/\/pets\/(\d+)$/.exec(request.url)?.[1]);
  const added = request.method === "POST";
  const pet = added ? { id: 8, ...JSON.parse(Buffer.concat(chunks)) } : { id, name: `Pet ${id}` };
  response.writeHead(added ? 201 : 200, { "content-type": "application/json" }).end(JSON.stringify(pet));
}

/** Serves the bundles of a folder; `url(name)` is where a page is. */
export async function serveApps(folder) {
  const answer = shop();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname.startsWith("/shop/")) return answer(request, response);
    if (pathname.startsWith("/api/")) return pets(request, response);
    const name = /^\/([\w.-]+)$/.exec(pathname)?.[1];
    // A router's own paths are all the same document.
    const file = pathname.startsWith("/router/") ? "router.html" : name;
    const content = file && !file.startsWith(".") && (await readFile(path.join(folder, file)).catch(() => undefined));
    if (!content) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[path.extname(file)] ?? "application/octet-stream" }).end(content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    url: (name) => `${origin}/${name.includes("/") ? name : `${name}.html`}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
