// Takes over the cookies of a host from another browser of this machine. Values are never shown.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { BrowserProfile, DomainCookies, ImportBrowserCookiesResponse } from '../rpc/contract.ts';
import { login } from '../state/login.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { Empty, NotInFleet, Panel } from '../ui/panel.tsx';
import { Table } from '../ui/table.tsx';
import { useAction } from '../ui/useCall.ts';
import { useSessionChoice } from './sessionChoice.tsx';

/** A domain of a profile of a browser. */
type Source = Pick<BrowserProfile, 'browser' | 'profile'> & Pick<DomainCookies, 'domain' | 'found'>;

const METHOD = 'BrowserService/ImportBrowserCookies';
/** The system may ask the person for the key of the other browser. */
const IMPORT_MS = 60_000;
const MAX_ROWS = 200;

export function BrowserCookiesPanel({ onImported }: { onImported: () => void }) {
  const { session, field } = useSessionChoice();
  const [sources, setSources] = useState<Source[]>();
  const [problems, setProblems] = useState<string[]>([]);
  const [done, setDone] = useState('');
  /** What came of imports, by session and source. */
  const [results, setResults] = useState<ReadonlyMap<string, string>>(new Map());
  const action = useAction();
  const options = { ...(session !== undefined ? { session } : {}), timeoutMs: IMPORT_MS };
  const list = () =>
    action.run(async () => {
      const answer = await call(METHOD, {}, options);
      setSources(sourcesOf(answer));
      setProblems(answer.problems.length > 0 || answer.profiles.length > 0 ? answer.problems : [answer.summary]);
    });
  const importFrom = (source: Source) =>
    action.run(async () => {
      setDone('');
      const { browser, profile, domain } = source;
      const answer = await call(METHOD, { browser, profile, domain }, options);
      setResults((before) => new Map(before).set(keyOf(session, source), resultText(answer)));
      setProblems(answer.problems);
      setDone(`${domain}: ${resultText(answer)}`);
      onImported();
    });
  if (useStore(login).fleet) {
    return (
      <Panel title="Import from a browser">
        <NotInFleet />
      </Panel>
    );
  }
  return (
    <Panel title="Import from a browser" scope="admin">
      <div class="row">
        <Button
          label={sources ? 'List again' : 'List the cookies of other browsers'}
          scope="admin"
          busy={action.busy && !sources}
          disabled={action.busy || session === undefined}
          because={session === undefined ? 'No session is open' : 'Wait for the import'}
          onClick={list}
        />
        {sources && <>into session {field}</>}
      </div>
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
      <p role="status">{action.busy && sources ? 'Working…' : done}</p>
      {problems.map((problem) => (
        <p class="problem page-words">{problem}</p>
      ))}
      {sources && (
        <SourceList
          sources={sources}
          busy={action.busy}
          resultOf={(source) => results.get(keyOf(session, source))}
          onImport={importFrom}
        />
      )}
    </Panel>
  );
}

interface SourceListProps {
  sources: Source[];
  busy: boolean;
  resultOf: (source: Source) => string | undefined;
  onImport: (source: Source) => void;
}

function SourceList({ sources, busy, resultOf, onImport }: SourceListProps) {
  const [text, setText] = useState('');
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = sources.filter(({ browser, profile, domain }) => {
    const held = `${browser} ${profile} ${domain}`.toLowerCase();
    return words.every((word) => held.includes(word));
  });
  const rows = matching.slice(0, MAX_ROWS);
  return (
    <>
      <div class="filters" role="search" aria-label="Domains">
        <input
          type="search"
          aria-label="Filter of domains"
          placeholder="Filter by domain"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <p class="muted" role="status">
        {rows.length} of {matching.length} domains
      </p>
      {rows.length === 0 ? (
        <Empty>No domain matches.</Empty>
      ) : (
        <Table label="Domains" columns={['Domain', 'Browser', 'Cookies', '', 'Result']}>
          {rows.map((source) => (
            <tr key={keyOf(undefined, source)}>
              <td class="wide">
                {source.domain}
                {source.domain.startsWith('.') && <span class="muted"> and all below</span>}
              </td>
              <td>
                {source.browser}, {source.profile}
              </td>
              <td class="number">{source.found}</td>
              <td>
                <ImportButton source={source} busy={busy} onImport={onImport} />
              </td>
              <td class="wide">{resultOf(source)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

function ImportButton({
  source,
  busy,
  onImport,
}: {
  source: Source;
  busy: boolean;
  onImport: (source: Source) => void;
}) {
  return (
    <button
      type="button"
      class="button"
      aria-label={`Import ${source.domain} from ${source.browser}, ${source.profile}`}
      disabled={busy}
      onClick={() => onImport(source)}
    >
      Import
    </button>
  );
}

function sourcesOf({ profiles }: ImportBrowserCookiesResponse): Source[] {
  return profiles.flatMap(({ browser, profile, domains }) =>
    domains.map(({ domain, found }) => ({ browser, profile, domain, found })),
  );
}

function resultText({ profiles }: ImportBrowserCookiesResponse): string {
  const domains = profiles.flatMap((profile) => profile.domains);
  const sum = (name: 'imported' | 'expired' | 'refused') => domains.reduce((total, row) => total + row[name], 0);
  return `${sum('imported')} imported, ${sum('expired')} expired, ${sum('refused')} refused`;
}

function keyOf(session: string | undefined, { browser, profile, domain }: Source): string {
  return JSON.stringify([session, browser, profile, domain]);
}
