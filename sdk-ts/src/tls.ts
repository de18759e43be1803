// TLS to another machine. A paired daemon speaks TLS 1.3 and is known by its public key: names
// and authorities have no say. The gateway of a fleet is known by its name.

import { authoritiesWith } from './authorities.ts';
import { BrowseError, Stranger } from './error.ts';
import { isBun, isDeno } from './runtime.ts';
import type { Secure } from './transport.ts';

const VERSION = 0xa0;
/** Milliseconds that the other end has to greet, if the call has no less. */
const GREETING = 10_000;
const CLOSED = 'the connection was closed';
const PAIRED_FOREIGN_HINT = 'Ask the owner to look at `browse tunnel status`, and for a new block; the call may have been carried out';

/**
 * Makes connections to the holder of the public key with this SHA-256, in hexadecimal.
 *
 * With `vouched` TLS may end at a tunnel: a certificate is as good that the
 * authorities of this machine vouch for.
 */
export function pinned(pin: string, vouched: boolean): Secure {
  const hint = 'Check the network, and ask the owner whether the pairing still is';
  // The key is looked at below: a daemon's own has no authority.
  const options = { rejectUnauthorized: false, minVersion: 'TLSv1.3' } as const;
  const check = async (socket: TlsSocket) => {
    const known = await isKey(socket.getPeerCertificate().raw, pin);
    if (!known && !(vouched && socket.authorized)) throw mismatch(vouched ? socket.authorizationError : undefined);
  };
  const open: Secure['open'] = (address, signal, timeout) => greet(address, { options, check, version: 'TLS 1.3', timeout: Math.min(timeout, GREETING) }, signal);
  return { pin, hint, foreignHint: PAIRED_FOREIGN_HINT, open };
}

/**
 * Makes connections to a server for whose name an authority vouches: one of this machine, or of
 * the file `ca`.
 */
export function vouchedFor(ca: string | undefined): Secure['open'] {
  let trusted: Promise<import('node:tls').ConnectionOptions> | undefined;
  const check = async (socket: TlsSocket) => {
    if (!socket.authorized) throw untrusted(socket.authorizationError);
  };
  return async (address, signal, timeout) => {
    trusted ??= trustOf(ca);
    // A file that is fixed meanwhile counts.
    const context = await trusted.catch((error: unknown) => {
      trusted = undefined;
      throw error;
    });
    const options = { ...context, rejectUnauthorized: true };
    return greet(address, { options, check, version: 'TLS', timeout: Math.min(timeout, GREETING) }, signal);
  };
}

async function trustOf(ca: string | undefined): Promise<import('node:tls').ConnectionOptions> {
  const authorities = { ca: await authoritiesWith(ca) };
  if (isBun || isDeno) return authorities;
  // On node, where each connection would read all of them again.
  const { createSecureContext } = await import('node:tls');
  return { secureContext: createSecureContext(authorities) };
}

type TlsSocket = import('node:tls').TLSSocket;

interface Wanted {
  options: import('node:tls').ConnectionOptions;
  /** Refuses who is not the one that is meant. */
  check(socket: TlsSocket): Promise<void>;
  /** What is spoken, for errors. */
  version: string;
  /** Milliseconds. */
  timeout: number;
}

async function greet(address: string, { options, check, version, timeout }: Wanted, signal: AbortSignal): Promise<import('node:net').Socket> {
  const { connect } = await import('node:tls');
  const { isIP } = await import('node:net');
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  const socket = connect({
    ...options,
    host,
    port: Number(address.slice(colon + 1)),
    servername: isIP(host) ? '' : host,
    ALPNProtocols: ['http/1.1'],
  });
  const stop = () => socket.destroy(new Error('the call was given up'));
  signal.addEventListener('abort', stop);
  let taken = false;
  socket.once('connect', () => (taken = true));
  const silent = () => socket.destroy(new Error(`${taken ? 'it takes the connection, and says nothing' : 'nothing answers'} within ${timeout / 1000} s`));
  const timer = setTimeout(silent, timeout);
  try {
    await new Promise<void>((done, failed) => {
      socket.once('secureConnect', done);
      socket.once('error', failed);
      socket.once('close', () => failed(new Error(CLOSED)));
    });
    await check(socket);
  } catch (error) {
    // Nothing was sent to the server.
    socket.on('error', () => {}).destroy();
    if (error instanceof BrowseError) throw error;
    throw options.rejectUnauthorized && isCertificateFault(error) ? untrusted(error) : told(error, taken, version);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
  return socket.setNoDelay(true);
}

/** A failure of a greeting, as callers shall see it. */
function told(error: unknown, taken: boolean, version: string): unknown {
  const code = String((error as { code?: string }).code ?? '');
  if (/^(ERR_SSL_|EPROTO)/.test(code)) {
    const why = code.replace(/^ERR_SSL_/, '').toLowerCase().replaceAll('_', ' ');
    return new Stranger(`it does not speak ${version}: ${why}`);
  }
  const ended = code === 'ECONNRESET' || code === 'EPIPE' || (error as Error).message === CLOSED;
  return taken && ended ? new Error('it takes the connection, and ends it before a word') : error;
}

async function isKey(certificate: Uint8Array | undefined, pin: string): Promise<boolean> {
  const { createHash } = await import('node:crypto');
  const key = publicKeyOf(certificate ?? new Uint8Array());
  return key !== undefined && createHash('sha256').update(key).digest('hex') === pin.toLowerCase();
}

/** Whether a greeting failed because nobody vouches for the certificate of the other end. */
function isCertificateFault(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return /CERT|SIGNATURE|ISSUER|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH/.test(String(code)) || /certificate/i.test(String(message));
}

function untrusted(why: unknown): BrowseError {
  const fault = why instanceof Error ? why.message : why;
  const hint = 'Check the address; for an authority of your own, sign in with `--ca <file>`';
  return new BrowseError('CERTIFICATE_UNUSABLE', `the certificate of the gateway is not trusted: ${fault}`, { hint, code: 9 });
}

function mismatch(why: unknown): BrowseError {
  const fault = why ? `nobody vouches for its public key: ${why}` : 'it has another public key';
  const message = `the other end is not the daemon of the pairing block: ${fault}`;
  return new BrowseError('REMOTE_MISMATCH', message, { hint: 'Do not go on; ask the owner for a new block', code: 9 });
}

/**
 * The public key of a certificate as it stands there, with its algorithm:
 * `subjectPublicKeyInfo`. https://www.rfc-editor.org/rfc/rfc5280#section-4.1
 */
export function publicKeyOf(certificate: Uint8Array): Uint8Array | undefined {
  let at = element(certificate, element(certificate, 0).begin).begin;
  // Version, when there is one, then serial number, signature, issuer, validity and subject.
  for (let left = certificate[at] === VERSION ? 6 : 5; left > 0; left--) at = element(certificate, at).end;
  const { end } = element(certificate, at);
  return end <= certificate.length && end > at ? certificate.subarray(at, end) : undefined;
}

/** Where what an element of DER holds begins and ends. */
function element(bytes: Uint8Array, at: number): { begin: number; end: number } {
  const first = bytes[at + 1] ?? 0;
  if (first < 0x80) return { begin: at + 2, end: at + 2 + first };
  const begin = at + 2 + (first & 0x7f);
  const length = bytes.subarray(at + 2, begin).reduce((sum, byte) => sum * 256 + byte, 0);
  return { begin, end: begin + length };
}
