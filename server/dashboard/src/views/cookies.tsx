// Which cookies a session has, by host. Their values never get beyond `cookiesOf`.

import { call } from '../rpc/client.ts';
import { hasScope } from '../state/login.ts';
import { Empty, Panel } from '../ui/panel.tsx';
import { Table } from '../ui/table.tsx';
import { dateText } from '../ui/time.tsx';
import { useLoad } from '../ui/useCall.ts';
import { useSessionChoice } from './sessionChoice.tsx';

interface CookieName {
  name: string;
  domain: string;
  expires: string;
  secure: boolean;
  http_only: boolean;
}

export function CookiesPanel() {
  const { session, field } = useSessionChoice();
  const allowed = hasScope('admin');
  const load = useLoad(
    async (signal) => (allowed && session !== undefined ? cookiesOf(session, signal) : []),
    [session],
  );
  const cookies = load.answer ?? [];
  return (
    <Panel title="Cookies" scope="admin" load={load} tools={field}>
      {cookies.length === 0 ? (
        <Empty>The session has no cookies.</Empty>
      ) : (
        <Table label="Cookies" columns={['Host', 'Name', 'Expires', 'Secure', 'Hidden from scripts']}>
          {cookies.map(({ name, domain, expires, secure, http_only }) => (
            <tr>
              <td>{domain}</td>
              <td class="wide">{name}</td>
              <td class="number">{expires ? dateText(expires) : 'with the browser'}</td>
              <td>{secure ? 'yes' : 'no'}</td>
              <td>{http_only ? 'yes' : 'no'}</td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

async function cookiesOf(session: string, signal: AbortSignal): Promise<CookieName[]> {
  const { cookies } = await call<{ cookies: CookieName[] }>('BrowserService/Cookies', {}, { session, signal });
  const names = cookies.map(({ name, domain, expires, secure, http_only }) => ({
    name,
    domain,
    expires,
    secure,
    http_only,
  }));
  return names.sort((a, b) => a.domain.localeCompare(b.domain) || a.name.localeCompare(b.name));
}
