// The pages of the benchmark, and the loopback server that serves them.

import { createServer } from "node:http";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

const document = (title, body) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>`;

function range(count, make) {
  return Array.from({ length: count }, (_, index) => make(index + 1)).join("\n");
}

/** Thirty stories in a table, as a news aggregator lists them. */
function stories() {
  const row = (n) => `<tr id="${40000 + n}"><td>${n}.</td><td><a href="vote?id=${n}"><div title="upvote"></div></a></td>
<td><a href="https://example.com/articles/${n}">Story number ${n} about a thing that happened</a>
<span>(<a href="from?site=example.com">example.com</a>)</span></td></tr>
<tr><td colspan="2"></td><td><span>${n * 7} points</span> by <a href="user?id=author${n}">author${n}</a>
<span title="2026-01-01T00:00:00"><a href="item?id=${n}">${n} hours ago</a></span> |
<a href="hide?id=${n}">hide</a> | <a href="item?id=${n}#comments">${n * 3} comments</a></td></tr>`;
  return document("Stories", `<table><tbody>${range(30, row)}</tbody></table><a href="news?p=2">More</a>`);
}

/** 100 sections of 20 paragraphs, each with a link and a button. */
function sections() {
  const paragraph = (section) => (n) =>
    `<p>Paragraph ${n} of section ${section} says a little. <a href="/read/${section}/${n}">Read ${section}.${n}</a>
<button type="button">Save ${section}.${n}</button></p>`;
  const section = (n) => `<section><h2>Section ${n}</h2>${range(20, paragraph(n))}</section>`;
  return document("Sections", `<h1>Sections</h1>${range(100, section)}`);
}

/** A form whose button counts its clicks. */
function form() {
  return document(
    "Form",
    `<h1>Sign up</h1><form onsubmit="return false">
<label>Name <input id="name" name="name"></label>
<label>Email <input type="email" name="email"></label>
<label>Country <select name="country"><option>Denmark<option>Norway<option>Sweden</select></label>
<label><input type="checkbox" name="terms"> I agree</label>
<button type="button" id="count" onclick="output.textContent = 1 + +output.textContent">Count</button>
<output id="output">0</output></form>`,
  );
}

/** A form that is sent, and the page that answers it. */
function signup() {
  return document(
    "Create an account",
    `<header><a href="/stories">Home</a> <a href="/form">Help</a></header><main><h1>Create an account</h1>
<p>Members can save stories and answer each other.</p><form action="/welcome">
<label>Full name <input name="name" required></label><label>Email <input type="email" name="email" required></label>
<label>Password <input type="password" name="password"></label>
<label>Country <select name="country"><option>Denmark<option>Norway<option>Sweden</select></label>
<label><input type="checkbox" name="terms"> I agree to the terms</label>
<button>Create account</button></form></main>`,
  );
}

function welcome() {
  const hint = (n) => `<li>Hint ${n}: a story that is saved is kept for ${n} weeks.</li>`;
  return document(
    "Welcome",
    `<main><h1>Welcome</h1><p>Your account is ready.</p><ul>${range(10, hint)}</ul>
<a href="/stories">Read the stories</a> <a href="/signup">Change your details</a></main>`,
  );
}

/** Pages that a folder of the user adds: served, measured for size only. */
async function added(folder) {
  if (!folder) return {};
  const names = (await readdir(folder)).filter((name) => name.endsWith(".html")).sort();
  const entries = names.map(async (name) => [name.replace(/\.html$/, ""), await readFile(path.join(folder, name))]);
  return Object.fromEntries(await Promise.all(entries));
}

/** Serves the pages on loopback; `url(name)` is the address of one. */
export async function servePages(folder) {
  const extra = await added(folder);
  const pages = { stories: stories(), sections: sections(), form: form(), signup: signup(), welcome: welcome(), ...extra };
  const server = createServer((request, response) => {
    const name = new URL(request.url, "http://127.0.0.1").pathname.slice(1);
    const found = Object.hasOwn(pages, name);
    response.writeHead(found ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    response.end(found ? pages[name] : "");
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address();
  return {
    extra: Object.keys(extra),
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
