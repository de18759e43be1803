// Which cookies a session has, by host, and how those of a host are removed. Their values never get
// beyond `cookiesOf`.

import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { Cookie } from '../rpc/contract.ts';
import { asCallError } from '../rpc/error.ts';
import { hasScope } from '../state/login.ts';
import { ConfirmButton } from '../ui/confirm.tsx';
import { countText } from '../ui/count.ts';
import { Failure } from '../ui/failure.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { Table } from '../ui/table.tsx';
import { dateText } from '../ui/time.tsx';
import { useAction, useLoad } from '../ui/useCall.ts';
import { useSessionChoice } from './sessionChoice.tsx';

type CookieName = Pick<Cookie, 'name' | 'domain' | 'expires' | 'secure' | 'http_only'>;

interface Host {
  host: string;
  cookies: CookieName[];
}

/** Another number of `imports` loads the cookies again. */
export function CookiesPanel({ imports }: { imports: number }) {
  const { session, field } = useSessionChoice();
  const allowed = hasScope('admin');
  const load = useLoad(
    async (signal) => ({
      session,
      hosts: allowed && session !== undefined ? byHost(await cookiesOf(session, signal)) : [],
    }),
    [session, imports],
  );
  // Those of the session before must not be removed from this one.
  const answer = load.answer?.session === session ? load.answer : undefined;
  return (
    <Panel title="Cookies" scope="admin" load={{ ...load, answer }} tools={field}>
      {answer?.hosts.length === 0 ? (
        <Empty>The session has no cookies.</Empty>
      ) : (
        session !== undefined &&
        answer && <CookieTable key={session} session={session} hosts={answer.hosts} onChanged={load.reload} />
      )}
    </Panel>
  );
}

function CookieTable({ session, hosts, onChanged }: { session: string; hosts: Host[]; onChanged: () => void }) {
  const action = useAction();
  const [done, setDone] = useState('');
  const remove = (host: Host) =>
    action.run(async () => {
      setDone('');
      const removed = await removeCookies(session, host).finally(onChanged);
      setDone(`Removed ${countText(removed, 'cookie')} of ${host.host}.`);
    });
  return (
    <>
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
      <p role="status">{action.busy ? 'Removing…' : done}</p>
      <Table label="Cookies" columns={['Name', 'Host', 'Expires', 'Secure', 'Hidden from scripts']}>
        {hosts.map((host) => (
          <Fragment key={host.host}>
            <tr>
              <th scope="rowgroup" colSpan={5}>
                <span class="row">
                  {host.host} ({host.cookies.length})
                  <ConfirmButton
                    label={`Remove those of ${host.host}…`}
                    confirmation={`Remove ${countText(host.cookies.length, 'cookie')} of ${host.host}`}
                    scope="admin"
                    disabled={action.busy}
                    onConfirm={() => remove(host)}
                  />
                </span>
              </th>
            </tr>
            {host.cookies.map(({ name, domain, expires, secure, http_only }) => (
              <tr>
                <td class="wide">{name}</td>
                <td>{domain}</td>
                <td class="number">{expires ? dateText(expires) : 'with the browser'}</td>
                <td>{secure ? 'yes' : 'no'}</td>
                <td>{http_only ? 'yes' : 'no'}</td>
              </tr>
            ))}
          </Fragment>
        ))}
      </Table>
    </>
  );
}

async function cookiesOf(session: string, signal: AbortSignal): Promise<CookieName[]> {
  const { cookies } = await call('BrowserService/Cookies', {}, { session, signal });
  const names = cookies.map(({ name, domain, expires, secure, http_only }) => ({
    name,
    domain,
    expires,
    secure,
    http_only,
  }));
  return names.sort((a, b) => a.domain.localeCompare(b.domain) || a.name.localeCompare(b.name));
}

/** The daemon removes cookies of a host whether or not their domain begins with a dot. */
function byHost(cookies: CookieName[]): Host[] {
  const hosts = new Map<string, CookieName[]>();
  for (const cookie of cookies) {
    const host = cookie.domain.replace(/^\./, '');
    hosts.set(host, [...(hosts.get(host) ?? []), cookie]);
  }
  return [...hosts].map(([host, own]) => ({ host, cookies: own })).sort((a, b) => a.host.localeCompare(b.host));
}

async function removeCookies(session: string, { host, cookies }: Host): Promise<number> {
  let count = 0;
  for (const name of new Set(cookies.map((cookie) => cookie.name))) {
    try {
      const request = { name, domain: host };
      const { removed } = await call('BrowserService/DeleteCookie', request, { session });
      count += removed;
    } catch (cause) {
      // It ended by itself, or the page removed it.
      if (asCallError(cause).reason !== 'COOKIE_NOT_FOUND') throw cause;
    }
  }
  return count;
}
