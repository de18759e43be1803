// What the content layers cost and warn of, on a folder of captured pages.
//
//   node deploy/bench/security.mjs FOLDER [ROUNDS]
//
// Every page is served on loopback with no other host to be found, read by
// `text`, `snapshot -i` and `markdown`, and each reading is compared with the
// one that `--raw` gives. The largest page is then read ROUNDS times both ways,
// in turn. BROWSE names the program, else the one of target/.

import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [folder, rounds = "41"] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node deploy/bench/security.mjs FOLDER [ROUNDS]");
  process.exit(2);
}
const built = ["release", "debug"].map((kind) => resolve("target", kind, "browse")).find((path) => existsSync(path));
const program = process.env.BROWSE || built;
const pages = readdirSync(folder).filter((name) => name.endsWith(".html")).sort();
const home = mkdtempSync(join(tmpdir(), "browse-security-"));
const environment = {
  ...process.env,
  BROWSE_HOME: join(home, "home"),
  BROWSE_PROJECT: home,
  BROWSE_CHROMIUM_ARGS: '"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"',
};

const server = createServer((request, response) => {
  const name = decodeURIComponent(request.url.slice(1));
  if (!pages.includes(name)) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(readFileSync(join(folder, name)));
});

const browse = (...words) =>
  new Promise((done) => {
    const begun = process.hrtime.bigint();
    const options = { env: environment, cwd: home, maxBuffer: 1 << 28 };
    execFile(program, words, options, (error, stdout, stderr) => {
      const took = Number(process.hrtime.bigint() - begun) / 1e6;
      done({ code: error ? error.code : 0, stdout, stderr, took });
    });
  });

const percentile = (times, share) => [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.ceil(times.length * share) - 1)];

const COMMANDS = [["text"], ["snapshot", "-i"], ["markdown"]];

/** Warnings, hidden parts, and the share of the raw text that is left. */
const survey = async () => {
  const warned = [];
  let hidden = 0;
  let failed = 0;
  for (const page of pages) {
    const opened = await browse("goto", `${server.origin}/${encodeURIComponent(page)}`);
    if (opened.code !== 0) {
      failed += 1;
      console.log(`${page}: ${opened.stderr.trim()}`);
      continue;
    }
    for (const command of COMMANDS) {
      const guarded = await browse("--json", ...command);
      const raw = await browse("--json", "--raw", ...command);
      if (guarded.code !== 0) {
        failed += 1;
        console.log(`${page}: ${command.join(" ")}: ${guarded.stdout.slice(0, 200)}`);
        continue;
      }
      const { untrusted = {} } = JSON.parse(guarded.stdout);
      for (const warning of untrusted.warnings || []) {
        warned.push(page);
        console.log(`${page}: ${command.join(" ")}: ${warning}`);
      }
      if (untrusted.unseen) hidden += 1;
      const length = (answer) => JSON.stringify(JSON.parse(answer.stdout).result).length;
      const share = length(guarded) / Math.max(1, length(raw));
      if (share < 0.9) console.log(`${page}: ${command.join(" ")}: ${Math.round(share * 100)} % of the raw text is left: ${JSON.stringify(untrusted.unseen)}`);
    }
  }
  const readings = pages.length * COMMANDS.length;
  console.log(`${pages.length} pages: ${failed} blocked or failed, ${new Set(warned).size} with warnings, ${hidden} of ${readings} readings with hidden parts`);
};

/** What the layers add to a reading of the largest page. */
const cost = async () => {
  const largest = pages.reduce((one, other) => (statSync(join(folder, one)).size >= statSync(join(folder, other)).size ? one : other));
  await browse("goto", `${server.origin}/${encodeURIComponent(largest)}`);
  for (const command of COMMANDS) {
    const times = { guarded: [], raw: [] };
    for (let round = 0; round < Number(rounds) + 3; round++) {
      for (const kind of ["guarded", "raw"]) {
        const { took } = await browse(...command, ...(kind === "raw" ? ["--raw"] : []));
        if (round >= 3) times[kind].push(took);
      }
    }
    const of = (share) => [percentile(times.guarded, share), percentile(times.raw, share)];
    const line = (name, [guarded, raw]) => `${name} ${guarded.toFixed(1)} ms, raw ${raw.toFixed(1)} ms, added ${(guarded - raw).toFixed(1)} ms`;
    console.log(`${largest}: ${command.join(" ")}: ${line("median", of(0.5))}; ${line("p95", of(0.95))}`);
  }
};

server.listen(0, "127.0.0.1", async () => {
  server.origin = `http://127.0.0.1:${server.address().port}`;
  try {
    await survey();
    await cost();
    console.log((await browse("security", "status")).stdout.trim());
  } finally {
    await browse("stop");
    server.close();
    rmSync(home, { recursive: true, force: true });
  }
});
