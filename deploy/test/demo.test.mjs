// The demonstration without a network, on the binaries of the dev profile.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { root } from "../scratch.mjs";

test("it prints 30 stories as JSON, says where they are from, and leaves nothing", () => {
  const temporary = mkdtempSync(path.join(tmpdir(), "browse-test-"));
  const binaries = process.env.BROWSE_TEST_BINARIES ?? path.join(root, "target", "debug");
  const demo = path.join(root, "deploy", "demo", "demo.mjs");
  try {
    const env = { ...process.env, TMPDIR: temporary };
    const ended = spawnSync(process.execPath, [demo, binaries, "--offline"], { env, encoding: "utf8", timeout: 60_000 });
    assert.equal(ended.status, 0, ended.stderr);
    assert.equal(JSON.parse(ended.stdout).length, 30);
    assert.match(ended.stderr, /serving the bundled page on 127\.0\.0\.1:\d+/);
    assert.deepEqual(readdirSync(temporary), []);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
});
