// A trace of twenty steps, opened in the viewers of two releases of Playwright. The viewer is
// driven by a session of ours: Playwright's own browsers are not needed.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { root } from "../scratch.mjs";

/** Packages by the name that `package.json` gives them, the oldest that is served first. */
const viewers = ["playwright-core-1.50", "playwright-core"];

/** What the steps put into the page, and never into the file. */
const password = "Kumquat-viewer-7";

async function record({ browse, site, folder }) {
  const run = (...args) => browse(["--session", "traced", ...args]);
  await run("goto", "about:blank");
  await run("trace", "start", "--steps");
  await run("goto", site.url("/form"));
  for (let number = 1; number <= 4; number += 1) {
    await run("fill", "#name1", `Ada ${number}`);
    await run("select", "#pick", number % 2 ? "b" : "a");
    await run("click", "#log");
    await run("click", "#send");
  }
  await run("fill", "#password", password);
  await run("click", "#fetch");
  await assert.rejects(run("click", "#none", "--timeout", "200ms"));
  const file = path.join(folder, "steps.zip");
  await run("trace", "stop", "--steps", file);
  return file;
}

/** Starts the viewer of a package, and answers its address. */
async function serveViewer(name, file) {
  const require = createRequire(path.join(root, "target", "cdp", "package.json"));
  const cli = path.join(path.dirname(require.resolve(`${name}/package.json`)), "cli.js");
  // Under test it opens no browser.
  const env = { ...process.env, PWTEST_UNDER_TEST: "1" };
  const viewer = spawn(process.execPath, [cli, "show-trace", "--host", "127.0.0.1", "--port", "0", file], { env });
  let printed = "";
  const url = await new Promise((resolve, reject) => {
    const read = (part) => {
      printed += part;
      const found = /Listening on (http:\/\/\S+)/.exec(printed);
      if (found) resolve(found[1]);
    };
    viewer.stdout.on("data", read);
    viewer.stderr.on("data", read);
    viewer.once("exit", () => reject(new Error(`the viewer ended: ${printed}`)));
  });
  return { url, close: () => viewer.kill() };
}

/** Text of the snapshot that the viewer shows, within its frames. */
const snapshotText = `(() => {
  const texts = [];
  const look = (view) => {
    try {
      texts.push(view.document.title, view.document.body?.innerText ?? "", ...Array.from(view.document.querySelectorAll("input"), (input) => input.value));
      for (let place = 0; place < view.frames.length; place += 1) look(view.frames[place]);
    } catch {}
  };
  for (let place = 0; place < frames.length; place += 1) look(frames[place]);
  return texts.join(" | ");
})()`;

/** Opens a tab of the viewer's lower half, and answers what the viewer shows. */
const textOfTab = (name) =>
  `Array.from(document.querySelectorAll("[role=tab]"), (one) => one.textContent.includes("${name}") && one.click()).length, document.body.innerText`;

async function open({ browse }, url) {
  const run = (...args) => browse(["--session", "viewer", ...args]);
  await run("goto", url);
  const js = async (expression) => run("--raw", "js", expression);
  const until = async (title, look) => {
    let seen = "";
    for (const end = Date.now() + 20_000; Date.now() < end; await new Promise((done) => setTimeout(done, 200))) {
      seen = await js(look.expression ?? "document.body.innerText");
      if (look.found(seen)) return seen;
    }
    throw new Error(`${title}: ${seen.slice(0, 2_000)}`);
  };
  const actions = await until("the list of actions", {
    expression: `Array.from(document.querySelectorAll(".action-title"), (one) => one.textContent).join("\\n")`,
    found: (text) => text.includes("browse goto") && text.trim().split("\n").length >= 20,
  });
  const choose = async (number) => {
    await js(`document.querySelectorAll(".action-title")[${number}].click(), 1`);
    // A choice counts when the list has the focus.
    await run("click", `.action-title >> nth=${number}`).catch(() => {});
  };
  return { actions: actions.trim().split("\n"), choose, js, until, run };
}

const scripts = viewers.map((name) => ({
  title: `opens in ${name}`,
  async run(world) {
    const viewer = await serveViewer(name, world.file);
    try {
      const { actions, choose, until } = await open(world, viewer.url);
      assert.equal(actions.length, 20, actions.join("\n"));
      assert.ok(actions[1].startsWith("browse fill"), actions[1]);
      await choose(4);
      await until("the page after a step", { expression: snapshotText, found: (text) => text.includes("Ada 1,") });
      await choose(19);
      const whole = await until("the page after the last step", { expression: snapshotText, found: (text) => text.includes("served") });
      assert.ok(!whole.includes(password) && whole.includes("[redacted]"), whole);
      await until("the error", { expression: textOfTab("Errors"), found: (text) => text.includes("ELEMENT_NOT_FOUND") });
      await until("the console", { expression: textOfTab("Console"), found: (text) => text.includes("logged 42") });
      await until("the requests", { expression: textOfTab("Network"), found: (text) => text.includes("data") && text.includes("200") });
    } finally {
      viewer.close();
    }
  },
}));

/** Records the flow, and answers the scripts that open it. */
export async function traceScripts(world) {
  const file = await record(world);
  return scripts.map(({ title, run }) => ({ title, quick: true, run: () => run({ ...world, file }) }));
}
