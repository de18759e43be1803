// Logs in with credentials from the environment, and saves what is behind it.

import { env } from 'node:process';
import { skill } from './_lib/browse.ts';
import { type Arguments, loginAndSave } from './login.ts';

await skill<Arguments>((args, browse) => loginAndSave(browse, args, env));
