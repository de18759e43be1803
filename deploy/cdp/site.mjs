// The pages that the scripts act on.

import { createServer } from "node:http";

const pages = {
  "/": `<!doctype html><title>start</title><h1>Start</h1>
    <a id=next href=/next>Next</a> <a id=file href=/file>Download</a>
    <a id=pop href=/popup target=_blank rel=opener>Popup</a>
    <button id=open onclick="window.open('/popup')">Open</button>
    <form id=form onsubmit="event.preventDefault(); out.textContent = name1.value + ',' + box.checked + ',' + pick.value">
    <input id=name1 placeholder=Name><input id=box type=checkbox><select id=pick><option>a<option>b</select>
    <button id=send>Send</button></form><output id=out></output>
    <input id=upload type=file multiple onchange="out.textContent = [...files].map((f) => f.name).join()">
    <button id=ask onclick="out.textContent = String(confirm('Sure?'))">Ask</button>
    <button id=prompt onclick="out.textContent = String(prompt('Name?'))">Prompt</button>
    <button id=alert onclick="alert('Hi'); out.textContent = 'closed'">Alert</button>
    <button id=later onclick="setTimeout(() => out.textContent = 'later', 100)">Later</button>
    <button id=log onclick="console.log('logged', 42)">Log</button>
    <button id=fetch onclick="fetch('/data').then((r) => r.text()).then((t) => out.textContent = t)">Fetch</button>
    <button id=worker onclick="new Worker('/worker.js').onmessage = (e) => out.textContent = e.data">Worker</button>`,
  "/form": `<!doctype html><title>form</title><h1>Form</h1><input id=name1 placeholder=Name>
    <select id=pick><option>a<option>b</select><input id=password type=password>
    <button id=send onclick="out.textContent = name1.value + ',' + pick.value">Send</button><output id=out></output>
    <button id=log onclick="console.log('logged', 42)">Log</button>
    <button id=fetch onclick="fetch('/data').then((r) => r.text()).then((t) => out.textContent = t)">Fetch</button>`,
  "/next": "<!doctype html><title>next</title><p>Next page</p>",
  "/popup": "<!doctype html><title>popup</title><p>Popup</p><button id=say onclick=\"document.title = 'clicked'\">Say</button>",
  "/frames": (port) => `<!doctype html><title>frames</title><iframe id=same src=/inner></iframe>
    <iframe id=cross src="http://localhost:${port}/inner"></iframe>`,
  "/inner": "<!doctype html><title>inner</title><button id=b onclick=\"this.textContent = 'clicked'\">In</button>",
  "/data": "served",
  "/slow": "<!doctype html><title>slow</title><img src=/data>",
  "/worker.js": "postMessage('from worker')",
  "/cookies": "<!doctype html><title>cookies</title>",
};

/** Serves the pages on 127.0.0.1. */
export async function serveSite() {
  const hits = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://x");
    hits.push(`${request.method} ${request.headers.host} ${url.pathname}`);
    if (url.pathname === "/file") {
      response.writeHead(200, { "content-type": "text/plain", "content-disposition": "attachment; filename=report.txt" });
      return response.end("a report");
    }
    const page = pages[url.pathname];
    if (page === undefined) return response.writeHead(404).end();
    const type = url.pathname.endsWith(".js") ? "text/javascript" : url.pathname === "/data" ? "text/plain" : "text/html";
    response.writeHead(200, { "content-type": type });
    response.end(typeof page === "function" ? page(server.address().port) : page);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: (at) => `http://127.0.0.1:${server.address().port}${at}`,
    hits,
    close: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }),
  };
}
