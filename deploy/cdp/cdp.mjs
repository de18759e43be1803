// Drives a session with clients from npm, over the address of `browse cdp-url`:
//
//   node deploy/cdp/cdp.mjs [--quick] [--only playwright|puppeteer|escapes|traces] [--case TEXT]
//     [--binaries DIR] [--plain]
//
// With --plain the browser says that it is one with a window: Playwright takes it for that.
//
// Ends every daemon that it starts, and no other.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { Unavailable } from "../apps/packages.mjs";
import { root, Scratch } from "../scratch.mjs";
import { attempts, RawClient } from "./escapes.mjs";
import { installClients } from "./packages.mjs";
import { scripts as playwrightScripts } from "./playwright.mjs";
import { scripts as puppeteerScripts } from "./puppeteer.mjs";
import { serveSite } from "./site.mjs";
import { traceScripts } from "./traces.mjs";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    plain: { type: "boolean", default: false },
    only: { type: "string" },
    case: { type: "string", default: "" },
    binaries: { type: "string", default: path.join(root, "target", "debug") },
  },
});
const limit = 60_000;
const say = (text) => process.stderr.write(`cdp: ${text}\n`);
const closing = [];
let [passed, failed] = [0, 0];

async function check(title, run) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`no end within ${limit} ms`)), limit)));
  try {
    await Promise.race([run(), late]);
    passed += 1;
    say(`${title}: pass`);
  } catch (error) {
    failed += 1;
    say(`${title}: FAILS: ${error.stack}`);
  } finally {
    clearTimeout(timer);
  }
}

const wanted = (name) => !options.only || options.only === name;
const chosen = (scripts) => scripts.filter(({ title, quick }) => (quick || !options.quick) && title.includes(options.case));

async function runScripts(name, scripts, connect, world) {
  const browser = await connect();
  for (const { title, run } of chosen(scripts)) {
    await check(`${name}, ${title}`, async () => {
      const context = name === "playwright" ? browser.contexts()[0] : browser.defaultBrowserContext();
      const page = await context.newPage();
      await run({ ...world, browser, context, page, connect });
      if (!page.isClosed()) await page.close();
    });
  }
  await (name === "playwright" ? browser.close() : browser.disconnect());
}

/** Each attempt is an error, and a line of the activity. */
async function runEscapes(world, WebSocket, url) {
  await world.browse(["--session", "other", "goto", world.site.url("/next")]);
  const other = (await world.browse(["--session", "other", "cdp-url"])).trim();
  const [spy, client] = [await RawClient.open(WebSocket, other), await RawClient.open(WebSocket, url)];
  const attach = async (raw) => {
    await raw.call("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
    const { params } = raw.events.find(({ method }) => method === "Target.attachedToTarget");
    return { session: params.sessionId, target: params.targetInfo.targetId, context: params.targetInfo.browserContextId };
  };
  const [foreign, own] = [await attach(spy), await attach(client)];
  const all = attempts({ foreign, own, context: own.context, site: world.site });
  const refusals = async () => (await world.browse(["activity"])).split("\n").filter((line) => line.includes("CDP_DENIED"));
  let before = (await refusals()).length;
  for (const [title, method, params, on] of all.filter(([title]) => title.includes(options.case))) {
    await check(`refused, ${title}`, async () => {
      const session = on === true ? own.session : on;
      const { error } = await client.call(method, params, session);
      assert.ok(error?.code <= -32000, `${method}: ${JSON.stringify(error)}`);
      if (options.quick) return;
      const lines = await refusals();
      assert.equal(lines.length, before + 1, "one more line of the activity");
      assert.ok(lines.at(-1).includes(method), lines.at(-1));
      before = lines.length;
    });
  }
  const { result } = await client.call("Runtime.evaluate", { expression: "6 * 7" }, own.session);
  assert.equal(result.result.value, 42);
  assert.match(await world.browse(["--session", "other", "url"]), /\/next/);
  spy.close();
  client.close();
}

async function main() {
  const { playwright, puppeteer } = await installClients(say);
  const WebSocket = createRequire(path.join(root, "target", "cdp", "package.json"))("ws");
  const site = await serveSite();
  closing.push(() => site.close());
  const folder = await mkdtemp(path.join(tmpdir(), "browse-cdp-"));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const scratch = await Scratch.open(options.binaries, options.plain ? { BROWSE_USER_AGENT: "plain" } : {});
  closing.push(() => scratch.close());
  const browse = (args) => scratch.must(args, { stderr: "ignore" });
  if (options.plain) {
    assert.doesNotMatch(await browse(["js", "navigator.userAgent"]), /Headless/);
  }
  const url = (await browse(["cdp-url", "--ttl", "1h"])).trim();
  const world = { site, folder, browse };
  const overHttp = url.replace("ws:", "http:");
  if (wanted("playwright")) {
    await runScripts("playwright", playwrightScripts, () => playwright.chromium.connectOverCDP(overHttp), world);
  }
  if (wanted("puppeteer")) {
    const connect = () => puppeteer.connect({ browserWSEndpoint: url, defaultViewport: null });
    await runScripts("puppeteer", puppeteerScripts, connect, world);
  }
  if (wanted("playwright") && wanted("puppeteer")) {
    await check("no script was refused anything", async () => {
      const refused = (await browse(["activity"])).split("\n").filter((line) => line.includes("CDP_DENIED"));
      assert.deepEqual(refused, []);
    });
  }
  if (wanted("escapes")) await runEscapes(world, WebSocket, url);
  if (wanted("traces")) {
    for (const { title, run } of chosen(await traceScripts(world))) await check(`trace, ${title}`, run);
  }
  if (wanted("playwright") && wanted("puppeteer")) {
    await check("two clients on one session", async () => {
      const one = await playwright.chromium.connectOverCDP(url);
      const two = await puppeteer.connect({ browserWSEndpoint: url, defaultViewport: null });
      const page = await one.contexts()[0].newPage();
      await page.goto(site.url("/next"));
      const target = await two.waitForTarget((target) => target.url() === site.url("/next"), { timeout: 10_000 });
      const same = await target.page();
      await same.evaluate("document.title = 'from puppeteer'");
      assert.equal(await page.title(), "from puppeteer");
      await page.close();
      await one.close();
      await two.disconnect();
    });
    await check("revoked", async () => {
      const browser = await playwright.chromium.connectOverCDP(url);
      const gone = new Promise((resolve) => browser.once("disconnected", resolve));
      await browse(["cdp-url", "--revoke"]);
      await gone;
      await assert.rejects(playwright.chromium.connectOverCDP(url, { timeout: 5_000 }));
    });
  }
  process.stdout.write(`# pass ${passed}\n# fail ${failed}\n`);
  return failed === 0 ? 0 : 1;
}

async function closeAll() {
  while (closing.length > 0) await closing.pop()();
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => closeAll().finally(() => process.exit(130)));
}
try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof Unavailable && options.quick) {
    say(`skipped: the clients of deploy/cdp: ${error.message}`);
  } else {
    say(error.stack);
    process.exitCode = 1;
  }
} finally {
  await closeAll();
}
