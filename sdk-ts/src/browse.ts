// The client that callers hold.

import { Commands } from './generated/commands.ts';
import type { Options } from './client.ts';

/** Drives the browser: every command as a method. */
export class Browse extends Commands {
  /** The same client, acting on this tab. */
  tab(id: number): Browse {
    return new Browse({ ...this.options, tab: id });
  }

  /** The same client, acting in this session. */
  session(name: string): Browse {
    return new Browse({ ...this.options, session: name });
  }

  /** The same client, with this deadline in milliseconds for each call. */
  withTimeout(milliseconds: number): Browse {
    return new Browse({ ...this.options, timeout: milliseconds });
  }
}

/**
 * Makes a client; what is left out is found when it calls: the environment names a remote
 * (`BROWSE_REMOTE`) or a daemon (`BROWSE_ADDR`), else it is that of the project.
 */
export function connect(options: Options = {}): Browse {
  return new Browse(options);
}

/** The client of a skill: address and token are those of its run. */
export const browse: Browse = connect();
