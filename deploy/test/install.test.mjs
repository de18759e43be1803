// install.sh against a release on a loopback server. Everything is installed below a
// temporary folder; the programs of the release are small scripts.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../scratch.mjs";

const script = path.join(root, "install.sh");
const platform = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-unknown-linux-gnu`;
const scratch = mkdtempSync(path.join(tmpdir(), "browse-install-"));
/** What the server answers: path to bytes. */
const files = new Map();
let server;
let base;

/** Puts a release on the server. */
function release(version, { help = "exit 0", damage = (bytes) => bytes, name = version } = {}) {
  const folder = path.join(scratch, `tree-${Math.random()}`);
  const tree = path.join(folder, `browse-${version}-${platform}`);
  for (const place of ["bin", "share/man/man1", "share/bash-completion/completions", "share/browse/browser-skills"]) {
    mkdirSync(path.join(tree, place), { recursive: true });
  }
  writeFileSync(path.join(tree, "bin/browse"), `#!/bin/sh\n[ "$1" != help ] || { ${help}; }\necho browse ${version}\n`);
  chmodSync(path.join(tree, "bin/browse"), 0o755);
  writeFileSync(path.join(tree, "bin/browsed"), "#!/bin/sh\n");
  writeFileSync(path.join(tree, "share/man/man1/browse.1"), ".TH BROWSE 1\n");
  writeFileSync(path.join(tree, "share/bash-completion/completions/browse"), "complete browse\n");
  const archive = `browse-${version}-${platform}.tar.gz`;
  const file = path.join(folder, archive);
  execFileSync("tar", ["-czf", file, "-C", folder, path.basename(tree)]);
  const bytes = readFileSync(file);
  const sum = createHash("sha256").update(bytes).digest("hex");
  files.set(`/${name}/SHA256SUMS`, `${"0".repeat(64)}  browse-${version}-other.tar.gz\n${sum}  ${archive}\n`);
  files.set(`/${name}/${archive}`, damage(bytes));
}

/** Runs the script; its exit code and what it printed. */
function install(prefix, args = [], { env = {}, wrap = [], file = script } = {}) {
  const argv = [...wrap, "sh", file, "--prefix", prefix, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(argv[0], argv.slice(1), {
      cwd: scratch, env: { PATH: process.env.PATH, HOME: scratch, ...env }, stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, text }));
  });
}

const from = () => ["--from", base];
const place = (name) => path.join(scratch, name);
const run = (prefix) => execFileSync(path.join(prefix, "bin/browse"), ["version"], { encoding: "utf8" }).trim();
/** Nothing of an installation that failed is left. */
const isEmpty = (prefix) => !existsSync(path.join(prefix, "lib/browse")) && !existsSync(path.join(prefix, "bin/browse"));

before(async () => {
  server = createServer((request, response) => {
    const body = files.get(request.url);
    response.writeHead(body === undefined ? 404 : 200);
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${server.address().port}`;
});

after(() => {
  server.close();
  rmSync(scratch, { recursive: true, force: true });
});

test("a release is installed, upgraded, and removed without a trace", async () => {
  const prefix = place("good");
  release("1.0.0", { name: "latest" });
  const first = await install(prefix, from());
  assert.equal(first.code, 0, first.text);
  assert.match(first.text, /installed browse 1\.0\.0/);
  assert.match(first.text, /do not prove who made the release/);
  assert.equal(run(prefix), "browse 1.0.0");
  assert.ok(existsSync(path.join(prefix, "share/man/man1/browse.1")));
  const again = await install(prefix, from());
  assert.match(again.text, /is installed already/);
  release("1.1.0");
  release("1.2.0");
  for (const version of ["1.1.0", "1.2.0"]) {
    const next = await install(prefix, [...from(), "--version", version]);
    assert.equal(next.code, 0, next.text);
    assert.equal(run(prefix), `browse ${version}`);
  }
  assert.deepEqual(readdirSync(path.join(prefix, "lib/browse")).sort(), ["1.1.0", "1.2.0", "current", "installed.txt"]);
  writeFileSync(path.join(prefix, "bin/other"), "");
  const removed = await install(prefix, ["--uninstall"]);
  assert.equal(removed.code, 0, removed.text);
  assert.deepEqual(readdirSync(prefix, { recursive: true }).sort(), ["bin", "bin/other"]);
});

test("what is damaged, changed or missing is refused and leaves nothing", async () => {
  const cases = [
    ["2.0.0", { damage: (bytes) => bytes.subarray(0, 100) }, /SHA-256 is not the one/],
    ["2.0.1", { damage: (bytes) => Buffer.concat([bytes, Buffer.from("x")]) }, /SHA-256 is not the one/],
    ["2.0.2", { help: "echo no such library >&2; exit 127" }, /does not run here: no such library/],
    ["2.0.4", { name: "2.0.3" }, /holds version 2\.0\.4/],
  ];
  for (const [version, options, message] of cases) {
    release(version, options);
    const prefix = place(version);
    const { code, text } = await install(prefix, [...from(), "--version", options.name ?? version]);
    assert.equal(code, 1, text);
    assert.match(text, message);
    assert.match(text, /hint: /);
    assert.ok(isEmpty(prefix), text);
  }
  const missing = await install(place("missing"), [...from(), "--version", "9.9.9"]);
  assert.match(missing.text, /no release `9\.9\.9`/);
  assert.ok(isEmpty(place("missing")));
});

test("an upgrade that fails leaves the version before as it was", async () => {
  const prefix = place("kept");
  release("3.0.0");
  release("3.1.0", { damage: () => Buffer.from("not an archive") });
  await install(prefix, [...from(), "--version", "3.0.0"]);
  const { code, text } = await install(prefix, [...from(), "--version", "3.1.0"]);
  assert.equal(code, 1, text);
  assert.equal(run(prefix), "browse 3.0.0");
  assert.deepEqual(readdirSync(path.join(prefix, "lib/browse")).sort(), ["3.0.0", "current", "installed.txt"]);
});

test("a key in the script makes it check the signature", async () => {
  release("4.0.0");
  const [folder, file] = [place("minisign"), place("signed.sh")];
  mkdirSync(folder);
  const key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
  writeFileSync(file, readFileSync(script, "utf8").replace('release_key=""', `release_key="${key}"`));
  const minisign = (body) => {
    writeFileSync(path.join(folder, "minisign"), `#!/bin/sh\n${body}\n`);
    chmodSync(path.join(folder, "minisign"), 0o755);
    return { file, env: { PATH: `${folder}:${process.env.PATH}` } };
  };
  const unsigned = await install(place("unsigned"), [...from(), "--version", "4.0.0"], minisign("exit 0"));
  assert.match(unsigned.text, /has no signature/);
  files.set("/4.0.0/SHA256SUMS.minisig", "signature");
  const wrong = await install(place("wrong"), [...from(), "--version", "4.0.0"], minisign("exit 1"));
  assert.match(wrong.text, /the signature of the release is wrong/);
  assert.ok(isEmpty(place("unsigned")) && isEmpty(place("wrong")));
  // The key goes to minisign, with the sums and their signature.
  const checks = `case "$*" in *"-P ${key} "*SHA256SUMS*SHA256SUMS.minisig*) exit 0 ;; esac; exit 1`;
  const good = await install(place("signed"), [...from(), "--version", "4.0.0"], minisign(checks));
  assert.equal(good.code, 0, good.text);
  assert.match(good.text, /its signature is that of the key/);
});

test("a full disk and a folder that cannot be written say so", async (context) => {
  release("5.0.0", { damage: (bytes) => bytes });
  const space = spawnSync("unshare", ["-rm", "true"]);
  if (space.status !== 0) return context.skip("no mount namespace can be made here");
  const prefix = place("full");
  mkdirSync(prefix);
  const mount = 'mount -t tmpfs -o size=8k none "$0" && shift 0 && exec "$@"';
  const full = await install(prefix, [...from(), "--version", "5.0.0"], { wrap: ["unshare", "-rm", "sh", "-c", mount, prefix] });
  assert.notEqual(full.code, 0, full.text);
  assert.match(full.text, /is the disk full\?/);
  const readOnly = 'mount -t tmpfs -o ro none "$0" && exec "$@"';
  const denied = await install(prefix, [...from(), "--version", "5.0.0"], { wrap: ["unshare", "-rm", "sh", "-c", readOnly, prefix] });
  assert.match(denied.text, /cannot be (written|made)/);
  assert.ok(isEmpty(prefix));
});

test("without a Chromium the next step is named", async () => {
  release("6.0.0");
  // Only what the script itself needs.
  const tools = place("tools");
  mkdirSync(tools);
  const needed = "sh curl sha256sum tar gzip grep cut tail sort cat mkdir mv cp rm rmdir ln readlink dirname basename uname wc sed apt-get";
  for (const name of needed.split(" ")) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    if (found.startsWith("/")) symlinkSync(found, path.join(tools, name));
  }
  const { code, text } = await install(place("bare"), [...from(), "--version", "6.0.0"], { env: { PATH: tools } });
  assert.equal(code, 0, text);
  assert.match(text, /next: install a Chromium/);
  assert.match(text, /next: add it to your PATH/);
});

test("what is not safe or not ours is refused", async () => {
  for (const [args, message] of [
    [["--from", "http://example.com"], /is not safe/],
    [["--from", "http://127.0.0.1:80@example.com"], /holds an @/],
    [["--version", "../x", ...["--from", "http://127.0.0.1"]], /is not a version/],
    [[], /names no server of releases/],
    [["--nope"], /unknown argument/],
    [["--uninstall"], /there is no installation/],
  ]) {
    const { code, text } = await install(place("none"), args);
    assert.equal(code, 1, text);
    assert.match(text, message);
  }
  // A folder and a program of somebody else stay.
  const prefix = place("theirs");
  mkdirSync(path.join(prefix, "lib/browse"), { recursive: true });
  release("7.0.0");
  assert.match((await install(prefix, [...from(), "--version", "7.0.0"])).text, /was not made by this script/);
  rmSync(path.join(prefix, "lib"), { recursive: true });
  mkdirSync(path.join(prefix, "bin"));
  writeFileSync(path.join(prefix, "bin/browse"), "theirs");
  const beside = await install(prefix, [...from(), "--version", "7.0.0"]);
  assert.match(beside.text, /bin\/browse is there, and is not of this installation/);
  assert.equal(beside.code, 1);
  assert.equal(readFileSync(path.join(prefix, "bin/browse"), "utf8"), "theirs");
  assert.ok(!existsSync(path.join(prefix, "lib")), "nothing was made");
  // So does a link of somebody else, to a program that is there and to one that is not.
  for (const target of [path.join(prefix, "bin/other"), "/nowhere/browse"]) {
    const other = place(`linked-${path.basename(path.dirname(target))}`);
    mkdirSync(path.join(other, "bin"), { recursive: true });
    writeFileSync(path.join(prefix, "bin/other"), "theirs");
    symlinkSync(target, path.join(other, "bin/browse"));
    assert.equal((await install(other, [...from(), "--version", "7.0.0"])).code, 1);
    assert.equal(readlinkSync(path.join(other, "bin/browse")), target);
  }
  const manual = place("manual");
  mkdirSync(path.join(manual, "share/man/man1"), { recursive: true });
  symlinkSync("/nowhere/browse.1", path.join(manual, "share/man/man1/browse.1"));
  const kept = await install(manual, [...from(), "--version", "7.0.0"]);
  assert.equal(kept.code, 0, kept.text);
  assert.match(kept.text, /kept .*man1\/browse\.1/);
  await install(manual, ["--uninstall"]);
  assert.equal(readlinkSync(path.join(manual, "share/man/man1/browse.1")), "/nowhere/browse.1");
});

test("what is missing of an installation is made again", async () => {
  release("8.0.0");
  const [prefix, args] = [place("whole"), [...from(), "--version", "8.0.0"]];
  assert.equal((await install(prefix, args)).code, 0);
  for (const missing of ["bin/browse", "share/man/man1/browse.1", "lib/browse/current/bin/browsed"]) {
    rmSync(path.join(prefix, missing));
    const { code, text } = await install(prefix, args);
    assert.equal(code, 0, text);
    assert.ok(existsSync(path.join(prefix, missing)), `${missing}: ${text}`);
    assert.match((await install(prefix, args)).text, /installed already/);
  }
});

test("a folder for links that cannot be written stops it before anything is changed", async (context) => {
  if (spawnSync("unshare", ["-rm", "true"]).status !== 0) return context.skip("no mount namespace can be made here");
  release("8.1.0");
  const prefix = place("blocked");
  mkdirSync(path.join(prefix, "bin"), { recursive: true });
  const readOnly = 'mount -t tmpfs -o ro none "$0/bin" && exec "$@"';
  const { code, text } = await install(prefix, [...from(), "--version", "8.1.0"], { wrap: ["unshare", "-rm", "sh", "-c", readOnly, prefix] });
  assert.equal(code, 1, text);
  assert.match(text, /error: .*blocked\/bin cannot be written\nhint: /);
  assert.deepEqual(readdirSync(prefix), ["bin"]);
});

test("after an installation that was killed the next one works", async () => {
  release("8.2.0");
  const [prefix, args] = [place("killed"), [...from(), "--version", "8.2.0"]];
  // As a process leaves it that was killed while it downloaded.
  const ended = spawnSync("true").pid;
  mkdirSync(path.join(prefix, `lib/browse/.new-${ended}`), { recursive: true });
  writeFileSync(path.join(prefix, "lib/browse/installed.txt"), "");
  const { code, text } = await install(prefix, args);
  assert.equal(code, 0, text);
  assert.deepEqual(readdirSync(path.join(prefix, "lib/browse")).sort(), ["8.2.0", "current", "installed.txt"]);
  await install(prefix, ["--uninstall"]);
  assert.ok(isEmpty(prefix));
});

test("it is removed by another path to the same folder", async () => {
  release("8.3.0");
  const prefix = place("real");
  mkdirSync(prefix);
  symlinkSync(prefix, place("alias"));
  for (const [first, second] of [["alias", "real"], ["real/", "alias"], ["./real", "real"]]) {
    const installed = await install(first, [...from(), "--version", "8.3.0"]);
    assert.equal(installed.code, 0, installed.text);
    const { code, text } = await install(second, ["--uninstall"]);
    assert.equal(code, 0, text);
    assert.ok(!text.includes("kept"), text);
    assert.deepEqual(readdirSync(prefix), [], `${first}, ${second}`);
  }
});
