// The MCP servers side by side: the list of tools, the start, and the session of twenty
// commands of session.mjs, in as few calls as each server allows.

import path from "node:path";
import { McpClient } from "./mcp-client.mjs";
import { median } from "./process.mjs";
import { installMcpPeers } from "./peers.mjs";

/** The text of a result: what a client gives its model. */
const textOf = (result) => result.content.filter(({ type }) => type === "text").map(({ text }) => text).join("\n");

/** The ref in the line of a snapshot that names an element. */
function refIn(snapshot, name, form) {
  const line = snapshot.split("\n").find((candidate) => candidate.includes(`"${name}"`));
  const found = line && form.exec(line);
  if (!found) throw new Error(`the snapshot has no "${name}":\n${snapshot.slice(0, 2000)}`);
  return found[1];
}

const filled = [
  ["fill", "Full name", "Ada Lovelace"],
  ["fill", "Email", "ada@example.com"],
  ["fill", "Password", "correct horse"],
  ["select", "Country", "Norway"],
  ["check", "I agree to the terms"],
];

/** The page of stories is long: a snapshot of it has a budget, which the peers have not. */
const budgeted = ["snapshot", "-i", "--max-tokens", "1000"];

/** The session through ours. */
async function browseSession(call, url) {
  const opened = await call("open", { url, view: "interactive" });
  const session = /^session: (\S+)$/m.exec(opened)[1];
  const ref = (snapshot, name) => refIn(snapshot, name, /(@[ec]\d+)/);
  const steps = [
    ...filled.map(([verb, name, ...rest]) => [verb, ref(opened, name), ...rest]),
    ["is", "checked", ref(opened, "I agree to the terms")],
    ["get", "value", ref(opened, "Full name")],
    ["click", ref(opened, "Create account")],
    ["url"],
    ["get", "title"],
  ];
  await call("act", { session, steps, view: "text" });
  const welcome = await call("snapshot", { session, view: "interactive" });
  const next = [["click", ref(welcome, "Read the stories")], ["text"], budgeted, ["back"], ["url"]];
  await call("act", { session, steps: next });
  await call("screenshot", { session });
}

/** The session through @playwright/mcp, whose actions answer with a snapshot. */
async function playwrightSession(call, url) {
  const ref = (snapshot, name) => refIn(snapshot, name, /\[ref=(\w+)\]/);
  await call("browser_navigate", { url });
  const opened = await call("browser_snapshot", {});
  const types = { fill: "textbox", select: "combobox", check: "checkbox" };
  const fields = filled.map(([verb, name, value = "true"]) => ({
    name, target: ref(opened, name), ref: ref(opened, name), type: types[verb], value,
  }));
  await call("browser_fill_form", { fields });
  const read = `() => [document.querySelector("[name=terms]").checked, document.querySelector("[name=name]").value]`;
  await call("browser_evaluate", { function: read });
  const button = ref(opened, "Create account");
  await call("browser_click", { element: "Create account", target: button, ref: button });
  await call("browser_evaluate", { function: "() => [location.href, document.title, document.body.innerText]" });
  const welcome = await call("browser_snapshot", {});
  const link = ref(welcome, "Read the stories");
  await call("browser_click", { element: "Read the stories", target: link, ref: link });
  await call("browser_evaluate", { function: "() => document.body.innerText" });
  await call("browser_snapshot", {});
  await call("browser_navigate_back", {});
  await call("browser_take_screenshot", {});
}

/** The servers: how each is started, and its session where it is measured. */
function servers(browse, peers, chromium, folder) {
  const { env } = browse.context;
  const node = process.execPath;
  const context = { cwd: folder, env };
  return [
    { name: "browse", argv: [browse.program, "mcp"], context: browse.context, session: browseSession },
    {
      name: "@playwright/mcp",
      argv: [node, peers.playwright, "--headless", "--isolated", "--no-sandbox", "--executable-path", chromium],
      context,
      session: playwrightSession,
    },
    { name: "agent-browser", argv: [peers.agentBrowser, "mcp"], context },
    {
      name: "chrome-devtools-mcp",
      argv: [node, peers.devtools, "--headless", "--isolated", "--executablePath", chromium, "--no-usage-statistics"],
      context,
    },
  ];
}

/** One start of a server: its tools and the time to the first answer. */
async function start({ argv, context }, use = async () => {}) {
  const begun = performance.now();
  const client = new McpClient(argv, context);
  try {
    const took = await client.initialize(begun);
    const { result } = await client.request("tools/list");
    await use(client);
    return { took, tools: result.tools.length, characters: JSON.stringify(result.tools).length };
  } finally {
    await client.close();
  }
}

/** One session: calls, milliseconds, and the characters of text that the model gets. */
async function session(server, url) {
  const figure = { calls: 0, took: 0, characters: 0 };
  await start(server, async (client) => {
    const begun = performance.now();
    await server.session(async (name, args) => {
      const { result } = await client.request("tools/call", { name, arguments: args });
      const text = textOf(result);
      if (result.isError) throw new Error(`${name}: ${text.slice(0, 500)}`);
      figure.calls += 1;
      figure.characters += text.length;
      return text;
    }, url);
    figure.took = performance.now() - begun;
  });
  return figure;
}

/** The figures of each server, in turns. The daemon of browse runs already. */
export async function measureMcp(browse, pages, chromium, rounds, say) {
  const peers = await installMcpPeers(say);
  const all = servers(browse, peers, chromium, path.dirname(browse.context.cwd));
  const runs = Object.fromEntries(all.map(({ name }) => [name, { starts: [], sessions: [] }]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const server of all) {
      const started = await start(server);
      const driven = server.session && (await session(server, pages.url("signup")));
      // The first round fills the caches.
      if (round === 0) continue;
      runs[server.name].starts.push(started);
      if (driven) runs[server.name].sessions.push(driven);
    }
  }
  const of = (figures, key) => median(figures.map((figure) => figure[key]));
  const rows = Object.entries(runs).map(([name, { starts, sessions }]) => ({
    name,
    tools: of(starts, "tools"),
    characters: of(starts, "characters"),
    start: of(starts, "took"),
    session: sessions.length > 0 && {
      calls: of(sessions, "calls"), characters: of(sessions, "characters"), took: of(sessions, "took"),
    },
  }));
  return { rows };
}
