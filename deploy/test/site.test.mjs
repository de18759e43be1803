// The loopback site: that it serves the page, under its name, with the key whose
// hash Chromium gets.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { connect } from "node:tls";
import { serveAs } from "../demo/site.mjs";

function certificate(port, servername) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate());
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

test("the arguments name the host, the port and the key that is served", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "browse-test-"));
  const page = path.join(folder, "page.html");
  await writeFile(page, "<p>hello");
  const site = await serveAs("site.example", page);
  try {
    const served = await certificate(site.port, "site.example");
    const key = served.publicKey.export({ type: "spki", format: "der" });
    const hash = createHash("sha256").update(key).digest("base64");
    assert.equal(served.subjectAltName, "DNS:site.example");
    assert.equal(
      site.chromiumArguments,
      `"--host-resolver-rules=MAP site.example 127.0.0.1:${site.port}" --ignore-certificate-errors-spki-list=${hash}`,
    );
  } finally {
    site.close();
    await rm(folder, { recursive: true });
  }
});
