// The benchmark's own arithmetic and pages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { servePages } from "../bench/pages.mjs";
import { median, quantile, quoted, run } from "../bench/process.mjs";
import { report } from "../bench/report.mjs";

test("a median lies between the two middle values", () => {
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(quantile([10, 20, 30], 1), 30);
});

test("a quoted word survives a shell", async () => {
  const words = ["printf", "%s|", "it's", "a b", "$HOME"];
  assert.equal(await run(["sh", "-c", quoted(words)]), "it's|a b|$HOME|");
});

test("the pages hold what the report says of them", async () => {
  const pages = await servePages();
  try {
    const read = async (name) => (await fetch(pages.url(name))).text();
    const stories = await read("stories");
    assert.equal(stories.match(/ points</g).length, 30);
    const sections = await read("sections");
    assert.equal(sections.match(/<a |<button /g).length, 4000);
    assert.equal((await fetch(pages.url("nothing"))).status, 404);
  } finally {
    pages.close();
  }
});

const machine = { system: "s", kernel: "k", processor: "p", cores: 2, memory: 1, load: 0, date: "d" };
const time = (value) => ({ median: value, p95: value, runs: 1 });

test("a missed bar is reported", () => {
  const work = { title: "url", bar: 0.5 };
  const row = (ours) => {
    const figures = { browse: time(ours), "agent-browser": time(10) };
    const sizes = [{ page: "x", browse: { characters: 9, refs: 1 }, "agent-browser": { characters: 8, refs: 1 } }];
    const tools = ["browse", "agent-browser"];
    return report({ rounds: 1, machine, versions: [], tools, browsers: "", works: [{ work, figures }], sizes, memory: {} });
  };
  assert.match(row(5), /\| 0\.50 \| – \| ≤ 0\.5: held \|/);
  assert.match(row(6), /\| 0\.60 \| – \| ≤ 0\.5: \*\*missed\*\* \|/);
  assert.match(row(5), /below every peer: \*\*missed\*\*/);
});
