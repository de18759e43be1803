// The steps of the login. They take the browser and the environment from the
// caller, so that a test can watch where the secrets go.

import { type Browse, BrowseError, type Saved } from './_lib/browse.ts';

/** The arguments, as the manifest lists them. */
export type Arguments = { login: string; save: string; path: string; 'user-field': string; 'password-field': string };

/** The part of the browser that is used. */
export type Browser = Pick<Browse, 'goto' | 'fill' | 'press' | 'url' | 'is' | 'wait' | 'download'>;

interface Credentials {
  origin: string;
  user: string;
  password: string;
}

/** Logs in, and saves one address. */
export async function loginAndSave(browse: Browser, args: Arguments, env: Record<string, string | undefined>): Promise<Omit<Saved, 'note'>> {
  const credentials = credentialsOf(env);
  requireOrigin(credentials, args.login, 'login');
  requireOrigin(credentials, args.save, 'save');
  await browse.goto(args.login);
  await fillIn(browse, credentials, args['user-field'], credentials.user);
  await fillIn(browse, credentials, args['password-field'], credentials.password);
  await browse.press('Enter');
  await loggedIn(browse, args['password-field']);
  const { path, url, mime, bytes, sha256 } = await browse.download(args.save, args.path);
  return { path, url, mime, bytes, sha256 };
}

/** The secrets, and the one origin that they belong to. */
export function credentialsOf(env: Record<string, string | undefined>): Credentials {
  const names = ['LOGIN_ORIGIN', 'LOGIN_USER', 'LOGIN_PASSWORD'] as const;
  const missing = names.filter((name) => !env[name]);
  if (missing.length > 0) throw refused(`${missing.join(', ')} is not set`, 'Set it in the environment: an argument would be seen by others');
  const [origin = '', user = '', password = ''] = names.map((name) => env[name]);
  if (originOf(origin) !== origin.replace(/\/$/, '')) throw refused('LOGIN_ORIGIN is no origin', 'Set it as in https://shop.example');
  return { origin: originOf(origin) as string, user, password };
}

/** An error whose message is all that the caller needs: no trace of the program. */
function refused(message: string, hint: string): BrowseError {
  return new BrowseError('LOGIN_REFUSED', message, { hint, code: 9 });
}

/** The origin of an address; nothing else than https is safe but on this machine. */
function originOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, origin } = new URL(address);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLocal) ? origin : undefined;
}

function requireOrigin({ origin }: Credentials, address: string, name: string): void {
  if (originOf(address) !== origin) throw refused(`\`${name}\` is not of LOGIN_ORIGIN, ${origin}`, 'Credentials go to their own origin only');
}

/** Types a secret, unless the page is by now another's. */
async function fillIn(browse: Browser, credentials: Credentials, target: string, secret: string): Promise<void> {
  if (originOf(await browse.url()) !== credentials.origin) throw refused('the login page leads to another origin: nothing was typed there', 'Open the page and look');
  try {
    await browse.fill(target, secret);
  } catch (error) {
    // What a page says of the field may repeat what was typed.
    if (!(error instanceof BrowseError)) throw error;
    throw refused(`the field \`${target}\` cannot be filled: ${error.reason}`, 'Give `user-field` and `password-field`');
  }
}

/** Waits until the form is gone. */
async function loggedIn(browse: Browser, passwordField: string): Promise<void> {
  await browse.wait({ load: true });
  if (await isVisible(browse, passwordField)) throw refused('the form is still there: the site refused the credentials, or wants more', 'Log in by hand once, and look');
}

async function isVisible(browse: Browser, target: string): Promise<boolean> {
  try {
    return await browse.is('visible', target);
  } catch (error) {
    if (error instanceof BrowseError && error.reason === 'ELEMENT_NOT_FOUND') return false;
    throw error;
  }
}
