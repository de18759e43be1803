// What a skill needs besides the browser: its arguments, its output, its end.

import type { Browse } from './browse.ts';
import { browse } from './browse.ts';
import { BrowseError } from './error.ts';
import { exitWith, variable } from './runtime.ts';

/** Arguments of a skill, as its manifest lists them. */
export type Arguments = Record<string, string>;

/**
 * Runs a skill: hands `main` the arguments, prints what it returns as the one
 * JSON document of the run, and reports an error on standard error.
 */
export async function skill<A = Arguments>(main: (args: A, browse: Browse) => Promise<unknown>): Promise<void> {
  try {
    const args = JSON.parse(variable('BROWSE_SKILL_ARGS') || '{}') as A;
    const result = await main(args, browse);
    console.log(JSON.stringify(result ?? null));
  } catch (error) {
    console.error(describe(error));
    exitWith(1);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof BrowseError)) return `error: ${error instanceof Error ? (error.stack ?? error.message) : error}`;
  const hint = error.hint ? `\nhint: ${error.hint}` : '';
  const page = error.page.map(({ about, text }) => `\n${about}: ${text}`).join('');
  return `error: ${error.reason}: ${error.message}${hint}${page}`;
}
