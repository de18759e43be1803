// The certificate authorities that count for the gateway of a fleet: those of this machine, and
// those of a file that the user named.

import { BrowseError } from './error.ts';
import { variable } from './runtime.ts';

/** Where systems keep theirs, in one file. */
const SYSTEM_FILES = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/ca-bundle.pem', '/etc/ssl/cert.pem'];
/** Bytes of a file with authorities. */
const MAX_AUTHORITY_BYTES = 1 << 20;

/** The authorities of this machine, and those of the file `ca`, as PEM. */
export async function authoritiesWith(ca: string | undefined): Promise<string[]> {
  const own = ca === undefined ? [] : [await readAuthorities(ca)];
  return [...own, ...(await systemAuthorities())];
}

async function readAuthorities(path: string): Promise<string> {
  const { X509Certificate } = await import('node:crypto');
  const { readFile } = await import('node:fs/promises');
  let fault: string;
  try {
    const text = (await readFile(path)).subarray(0, MAX_AUTHORITY_BYTES).toString('latin1');
    const blocks = text.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
    for (const block of blocks) new X509Certificate(block);
    if (blocks.length > 0) return blocks.join('\n');
    fault = 'it contains no certificate';
  } catch (error) {
    fault = (error as Error).message;
  }
  const message = `the certificate authorities of \`${path}\` cannot be used: ${fault}`;
  const hint = 'Sign in again with a file with certificates as PEM: `browse login <url> --ca <file>`';
  throw new BrowseError('CERTIFICATE_UNUSABLE', message, { hint, metadata: { path }, code: 9 });
}

async function systemAuthorities(): Promise<string[]> {
  const { readFile } = await import('node:fs/promises');
  const named = variable('SSL_CERT_FILE');
  for (const path of named ? [named] : SYSTEM_FILES) {
    const text = await readFile(path, 'latin1').catch(() => '');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return [text];
  }
  // Slower, and not in all versions; then those that the runtime comes with.
  const tls = (await import('node:tls')) as { getCACertificates?(type: string): string[]; rootCertificates?: readonly string[] };
  const found = tls.getCACertificates?.('system') ?? [];
  return found.length > 0 ? found : [...(tls.rootCertificates ?? [])];
}
