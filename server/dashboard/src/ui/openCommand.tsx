// The command that opens a dashboard such as this one.

import { login } from '../state/login.ts';
import { useStore } from '../state/store.ts';

export function OpenCommand() {
  const { remote } = useStore(login);
  return <code>{remote ? 'browse --remote <name> dashboard' : 'browse dashboard'}</code>;
}
