// Has the command line renew the token of a fleet. It does so under the lock of the remotes,
// because many issuers accept a refresh token once.

import { BrowseError, clean } from './error.ts';
import { variable } from './runtime.ts';

/** Milliseconds after which a renewal is given up; the program ends by itself before. */
const RENEWAL_LIMIT = 60_000;
/** Variables that speak for a call, and not for the sign-in. */
const CALL_VARIABLES = ['BROWSE_REMOTE', 'BROWSE_ADDR', 'BROWSE_TOKEN', 'BROWSE_SKILL_TOKEN', 'BROWSE_SESSION'];
/** The gRPC codes of what it reports; others are failed preconditions. */
const RENEWAL_CODES: Record<string, number> = { TOKEN_EXPIRED: 16, ISSUER_UNUSABLE: 14, DEADLINE_EXCEEDED: 4, REMOTE_UNKNOWN: 5 };

/**
 * Renews the token of the remote `name`: where that is due, or the token `rejected`, whatever time it
 * has left. `login` is the command that signs in again.
 */
export async function renewByProgram(name: string, login: string, rejected?: string): Promise<void> {
  const { execFile } = await import('node:child_process');
  const env = { ...(await import('node:process')).env };
  for (const own of CALL_VARIABLES) delete env[own];
  const program = variable('BROWSE_CLI') || 'browse';
  const command = ['login', '--renew', name, '--json', ...(rejected === undefined ? [] : ['--rejected-stdin'])];
  await new Promise<void>((done, failed) => {
    const child = execFile(program, command, { env, timeout: RENEWAL_LIMIT }, (error, output, log) => {
      if (!error) return done();
      // An exit status is a number; what could not be started has a name.
      const { code } = error as { code?: number | string | null };
      failed(typeof code === 'string' ? missing(name, login, code) : (reported(output) ?? unrenewed(name, login, log)));
    });
    // A program that ends without reading it reports why.
    child.stdin?.on('error', () => {}).end(rejected);
  });
}

/** The error that the program printed. */
function reported(output: string): BrowseError | undefined {
  try {
    const { reason, message, hint, metadata } = (JSON.parse(output) as { error: Record<string, unknown> }).error;
    if (typeof reason !== 'string' || typeof message !== 'string') return undefined;
    const details = { hint: clean(String(hint ?? '')), metadata: { ...(metadata as Record<string, string>) }, code: RENEWAL_CODES[reason] ?? 9 };
    return new BrowseError(clean(reason), clean(message), details);
  } catch {
    return undefined;
  }
}

function missing(name: string, login: string, code: string): BrowseError {
  const why = code === 'ENOENT' ? 'it is not found' : code;
  const message = `the token of \`${name}\` has ended, and \`browse\`, which renews it, cannot be run: ${why}`;
  return new BrowseError('TOKEN_EXPIRED', message, { hint: `Set BROWSE_CLI to the program \`browse\`, or run \`${login}\` again`, code: 16 });
}

function unrenewed(name: string, login: string, log: string): BrowseError {
  const why = clean(log.trim().split('\n').find((line) => line.startsWith('error: '))?.slice('error: '.length) ?? 'it reports no reason');
  return new BrowseError('TOKEN_EXPIRED', `the token of \`${name}\` has ended, and \`browse\` does not renew it: ${why}`, { hint: `Run \`${login}\` again`, code: 16 });
}
