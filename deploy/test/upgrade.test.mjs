// `browse upgrade` of the binaries of the dev profile, which take the server and the key of the
// releases from their environment. Signatures are those of minisign, made here with a key that is
// thrown away.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { root } from "../scratch.mjs";

const binaries = process.env.BROWSE_TEST_BINARIES ?? path.join(root, "target", "debug");
const platform = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-unknown-linux-gnu`;
const scratch = mkdtempSync(path.join(tmpdir(), "browse-upgrade-"));
const own = /^version = "(.*)"/m.exec(readFileSync(path.join(root, "Cargo.toml"), "utf8"))[1];
const files = new Map();
/** Paths whose answer breaks off in the middle. */
const broken = new Set();
let server;
let base;

/** A key of minisign: its public form, and signatures of files. The format is that of its man page. */
function minisignKey(id = "browsekey") {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const keyId = Buffer.from(id.slice(0, 8));
  return {
    public: Buffer.concat([Buffer.from("Ed"), keyId, raw]).toString("base64"),
    sign(bytes) {
      const comment = "timestamp:1 file:SHA256SUMS hashed";
      const signature = sign(null, createHash("blake2b512").update(bytes).digest(), privateKey);
      const all = sign(null, Buffer.concat([signature, Buffer.from(comment)]), privateKey);
      const line = Buffer.concat([Buffer.from("ED"), keyId, signature]).toString("base64");
      return `untrusted comment: a test\n${line}\ntrusted comment: ${comment}\n${all.toString("base64")}\n`;
    },
  };
}

const key = minisignKey();

/** Puts a release on the server, as `latest` and under its version. */
function release(version, { signer = key, oldSums } = {}) {
  const folder = path.join(scratch, `tree-${Math.random()}`);
  const tree = path.join(folder, `browse-${version}-${platform}`);
  mkdirSync(path.join(tree, "bin"), { recursive: true });
  for (const program of ["browse", "browsed"]) {
    writeFileSync(path.join(tree, "bin", program), `#!/bin/sh\necho ${program} ${version}\n`);
    chmodSync(path.join(tree, "bin", program), 0o755);
  }
  const archive = `browse-${version}-${platform}.tar.gz`;
  execFileSync("tar", ["-czf", path.join(folder, archive), "-C", folder, path.basename(tree)]);
  const content = new Map([[archive, readFileSync(path.join(folder, archive))], ["install.sh", readFileSync(path.join(root, "install.sh"))]]);
  const sum = (bytes) => createHash("sha256").update(bytes).digest("hex");
  const sums = oldSums ?? [...content].map(([name, bytes]) => `${sum(bytes)}  ${name}\n`).join("");
  content.set("SHA256SUMS", Buffer.from(sums));
  if (signer) content.set("SHA256SUMS.minisig", Buffer.from(signer.sign(Buffer.from(sums))));
  for (const [name, bytes] of content) for (const place of ["latest", version]) files.set(`/${place}/${name}`, bytes);
  return sums;
}

/** The programs of this checkout, as install.sh lays them out. */
function installed(name) {
  const prefix = path.join(scratch, name);
  const home = path.join(prefix, "lib/browse");
  mkdirSync(path.join(home, own, "bin"), { recursive: true });
  mkdirSync(path.join(prefix, "bin"));
  for (const program of ["browse", "browsed"]) cpSync(path.join(binaries, program), path.join(home, own, "bin", program));
  writeFileSync(path.join(home, "installed.txt"), `${prefix}/bin/browse\n`);
  symlinkSync(own, path.join(home, "current"));
  symlinkSync(path.join(home, "current/bin/browse"), path.join(prefix, "bin/browse"));
  return prefix;
}

function browse(prefix, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(path.join(prefix, "bin/browse"), args, {
      cwd: scratch,
      env: { PATH: process.env.PATH, HOME: scratch, BROWSE_TEST_RELEASE_URL: base, BROWSE_TEST_RELEASE_KEY: key.public, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, text }));
  });
}

const versions = (prefix) => readdirSync(path.join(prefix, "lib/browse")).filter((name) => /^[0-9]/.test(name)).sort();
/** The version before is the one that runs, and nothing else is there. */
function assertUnchanged(prefix) {
  assert.deepEqual(readdirSync(path.join(prefix, "lib/browse")).sort(), [own, "current", "installed.txt"]);
  assert.equal(execFileSync(path.join(prefix, "bin/browse"), ["--version"], { encoding: "utf8" }).trim(), `browse ${own}`);
}

before(async () => {
  server = createServer((request, response) => {
    const body = files.get(request.url);
    response.writeHead(body === undefined ? 404 : 200, body && { "content-length": body.length });
    if (broken.has(request.url)) return response.write(body.subarray(0, body.length / 2), () => response.destroy());
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${server.address().port}`;
});

beforeEach(() => {
  files.clear();
  broken.clear();
});

after(() => {
  server.close();
  rmSync(scratch, { recursive: true, force: true });
});

test("a newer signed release replaces all programs, and the version before stays for its daemon", async () => {
  const prefix = installed("good");
  release("99.0.0");
  const check = await browse(prefix, ["upgrade", "--check"]);
  assert.match(check.text, /99\.0\.0 can be installed by `browse upgrade`/);
  assertUnchanged(prefix);
  const done = await browse(prefix, ["upgrade"]);
  assert.equal(done.code, 0, done.text);
  assert.match(done.text, /installed browse 99\.0\.0/);
  for (const program of ["browse", "browsed"]) {
    const found = execFileSync(path.join(prefix, "lib/browse/current/bin", program), { encoding: "utf8" });
    assert.equal(found.trim(), `${program} 99.0.0`);
  }
  assert.deepEqual(versions(prefix), [own, "99.0.0"].sort());
});

test("the same release is the newest", async () => {
  const prefix = installed("same");
  release(own);
  const { code, text } = await browse(prefix, ["upgrade"]);
  assert.equal(code, 0, text);
  assert.match(text, /is the newest release/);
  assertUnchanged(prefix);
});

test("a release that is unsigned, signed by another key, changed or older is refused", async () => {
  const prefix = installed("refused");
  const cases = [
    [() => release("99.0.0", { signer: null }), /is not signed/],
    [() => release("99.0.0", { signer: minisignKey() }), /is not that of the key that was built in/],
    [() => release("99.0.0", { signer: minisignKey("otherkey") }), /is not that of the key that was built in/],
    [() => { release("99.0.0"); files.set("/latest/SHA256SUMS.minisig", Buffer.from("none")); }, /not one of minisign/],
    [() => { const sums = release("99.0.0"); files.set("/latest/SHA256SUMS", Buffer.from(sums.replace(/^./, "f"))); }, /is not that of the key/],
    [() => { release("99.0.0"); files.set("/99.0.0/install.sh", Buffer.from("#!/bin/sh\nexit 9\n")); }, /install\.sh is not the one that was signed/],
    [() => release("0.0.1"), /offers 0\.0\.1, which is older/],
  ];
  for (const [prepare, message] of cases) {
    files.clear();
    prepare();
    const { code, text } = await browse(prefix, ["upgrade"]);
    assert.equal(code, 3, text);
    assert.match(text, message);
    assert.match(text, /nothing was changed/);
    assertUnchanged(prefix);
  }
});

test("a swapped archive and one that breaks off change nothing", async () => {
  const prefix = installed("archive");
  release("99.0.0");
  files.set(`/99.0.0/browse-99.0.0-${platform}.tar.gz`, Buffer.from("something else"));
  const swapped = await browse(prefix, ["upgrade"]);
  assert.equal(swapped.code, 1, swapped.text);
  assert.match(swapped.text, /nothing was changed: the archive is damaged or was changed/);
  assertUnchanged(prefix);
  release("99.0.0");
  broken.add(`/99.0.0/browse-99.0.0-${platform}.tar.gz`);
  const cut = await browse(prefix, ["upgrade"]);
  assert.equal(cut.code, 1, cut.text);
  assert.match(cut.text, /nothing was changed: the download failed/);
  assertUnchanged(prefix);
  broken.clear();
  broken.add("/latest/SHA256SUMS");
  const sums = await browse(prefix, ["upgrade"]);
  assert.equal(sums.code, 4, sums.text);
  assertUnchanged(prefix);
});

test("without a key nothing is fetched, and a server that is gone is named", async () => {
  const prefix = installed("nokey");
  const none = await browse(prefix, ["upgrade"], { BROWSE_TEST_RELEASE_KEY: "" });
  assert.equal(none.code, 2, none.text);
  assert.match(none.text, /no key built in/);
  assert.ok(none.text.includes(`--prefix ${prefix}`), none.text);
  const gone = await browse(prefix, ["upgrade"], { BROWSE_TEST_RELEASE_URL: "http://127.0.0.1:9" });
  assert.equal(gone.code, 4, gone.text);
  assert.match(gone.text, /127\.0\.0\.1:9/);
});

test("a build in a checkout prints its command", async () => {
  const text = execFileSync(path.join(binaries, "browse"), ["upgrade"], { encoding: "utf8" });
  assert.match(text, /git -C .* pull && make -C .* build/);
});
