// A page served on loopback under the name of a real host, over TLS.
//
// The key and the certificate are made on the spot and thrown away. Chromium is
// configured to accept that one key by its hash and to look for that one host here:
// `chromiumArguments` is what BROWSE_CHROMIUM_ARGS has to hold. Nothing of this
// is part of an ordinary run.

import { execFile } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Makes a key and a self-signed certificate for `host`. */
async function throwAwayCertificate(host) {
  const folder = await mkdtemp(path.join(tmpdir(), "browse-certificate-"));
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => path.join(folder, name));
  try {
    await run("openssl", [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", key, "-out", cert, "-days", "1",
      "-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`,
    ]);
    return { key: await readFile(key), cert: await readFile(cert) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Base64 of the SHA-256 of the public key, as Chromium wants it. */
function keyHash(cert) {
  const key = new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" });
  return createHash("sha256").update(key).digest("base64");
}

/** Serves the HTML file `page` as `https://<host>/`. */
export async function serveAs(host, page) {
  const body = await readFile(page);
  const { key, cert } = await throwAwayCertificate(host);
  const server = createServer({ key, cert }, (request, response) => {
    const found = new URL(request.url, `https://${host}`).pathname === "/";
    response.writeHead(found ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    response.end(found ? body : "");
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address();
  return {
    port,
    chromiumArguments: [
      `"--host-resolver-rules=MAP ${host} 127.0.0.1:${port}"`,
      `--ignore-certificate-errors-spki-list=${keyHash(cert)}`,
    ].join(" "),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
