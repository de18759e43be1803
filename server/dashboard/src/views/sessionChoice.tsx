// A choice among the open sessions.

import { useState } from 'preact/hooks';
import { overview } from '../state/overview.ts';
import { useStore } from '../state/store.ts';

/** The chosen session, and the field to choose it by. */
export function useSessionChoice(): { session: string | undefined; field: preact.JSX.Element } {
  const { response } = useStore(overview);
  const names = (response?.sessions ?? []).map((session) => session.name);
  const [chosen, setChosen] = useState<string>();
  const session = chosen !== undefined && names.includes(chosen) ? chosen : names[0];
  const field = (
    <select aria-label="Session" value={session} onChange={(event) => setChosen(event.currentTarget.value)}>
      {names.map((name) => (
        <option value={name}>{name}</option>
      ))}
    </select>
  );
  return { session, field };
}
