// TLS 1.3 to a remote daemon, which is known by its public key alone: names
// and authorities have no say.

import { BrowseError, Stranger } from './error.ts';
import type { Secure } from './transport.ts';

const VERSION = 0xa0;
/** Milliseconds that the other end has to greet, if the call has no less. */
const GREETING = 10_000;
const CLOSED = 'the connection was closed';

/**
 * Makes connections to the holder of the public key with this SHA-256, in hexadecimal.
 *
 * With `vouched` TLS may end at a tunnel: a certificate is as good that the
 * authorities of this machine vouch for.
 */
export function pinned(pin: string, vouched: boolean): Secure {
  const hint = 'Check the network, and ask the owner whether the pairing still is';
  return { pin, hint, open: (address, signal, timeout) => greet(address, { pin, vouched, timeout: Math.min(timeout, GREETING) }, signal) };
}

interface Wanted {
  pin: string;
  vouched: boolean;
  timeout: number;
}

async function greet(address: string, { pin, vouched, timeout }: Wanted, signal: AbortSignal): Promise<import('node:net').Socket> {
  const { connect } = await import('node:tls');
  const { isIP } = await import('node:net');
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  const socket = connect({
    host,
    port: Number(address.slice(colon + 1)),
    servername: isIP(host) ? '' : host,
    // The key is looked at below: a daemon's own has no authority.
    rejectUnauthorized: false,
    minVersion: 'TLSv1.3',
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
    const known = await isKey(socket.getPeerCertificate().raw, pin);
    if (!known && !(vouched && socket.authorized)) throw mismatch(vouched ? socket.authorizationError : undefined);
  } catch (error) {
    // Nothing was sent to the server.
    socket.on('error', () => {}).destroy();
    throw told(error, taken);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
  return socket.setNoDelay(true);
}

/** A failure of a greeting, as callers shall see it. */
function told(error: unknown, taken: boolean): unknown {
  const code = String((error as { code?: string }).code ?? '');
  if (/^(ERR_SSL_|EPROTO)/.test(code)) {
    const why = code.replace(/^ERR_SSL_/, '').toLowerCase().replaceAll('_', ' ');
    return new Stranger(`it does not speak TLS 1.3: ${why}`);
  }
  const ended = code === 'ECONNRESET' || code === 'EPIPE' || (error as Error).message === CLOSED;
  return taken && ended ? new Error('it takes the connection, and ends it before a word') : error;
}

async function isKey(certificate: Uint8Array | undefined, pin: string): Promise<boolean> {
  const { createHash } = await import('node:crypto');
  const key = publicKeyOf(certificate ?? new Uint8Array());
  return key !== undefined && createHash('sha256').update(key).digest('hex') === pin.toLowerCase();
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
