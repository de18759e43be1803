// What a new agent may do, and the invitation that it gets.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { NewPairingRequest, NewPairingResponse } from '../rpc/contract.ts';
import { overview } from '../state/overview.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { useAction } from '../ui/useCall.ts';
import { Invitation } from './invitation.tsx';

const SCOPES: [name: string, meaning: string][] = [
  ['read', 'reads pages'],
  ['write', 'opens addresses and acts in pages'],
  ['meta', 'lists sessions, skills and notes'],
  ['admin', 'runs scripts in its pages, reads cookies'],
  ['control', 'approves, pairs, and opens dashboards'],
];
const LIFETIMES: [value: string, name: string][] = [
  ['', '24 hours after its last call, and after 7 days'],
  ['1h', 'after 1 hour'],
  ['8h', 'after 8 hours'],
  ['24h', 'after 1 day'],
  ['7d', 'after 7 days'],
];
const DEFAULT_SCOPES = ['read', 'write'];
const DEFAULT_RATE = '10';
const MAX_RATE = 1_000;

interface Terms {
  name: string;
  scopes: string[];
  hosts: string;
  /** One of the sessions that are open; empty for a session of its own. */
  session: string;
  allTabs: boolean;
  ttl: string;
  rate: string;
  listen: string;
  address: string;
}

const NEW: Terms = {
  name: '',
  scopes: DEFAULT_SCOPES,
  hosts: '',
  session: '',
  allTabs: false,
  ttl: '',
  rate: DEFAULT_RATE,
  listen: '',
  address: '',
};

interface NewPairingProps {
  /** Names of the agents that are paired. */
  known: string[];
  onPaired: () => void;
  onClose: () => void;
}

/** The invitation is in the memory of this component alone. */
export function NewPairing({ known, onPaired, onClose }: NewPairingProps) {
  const [invitation, setInvitation] = useState<NewPairingResponse>();
  if (invitation) return <Invitation invitation={invitation} onClose={onClose} />;
  return (
    <TermsForm
      known={known}
      onClose={onClose}
      onInvited={(answer) => {
        setInvitation(answer);
        onPaired();
      }}
    />
  );
}

interface TermsFormProps {
  known: string[];
  onInvited: (invitation: NewPairingResponse) => void;
  onClose: () => void;
}

function TermsForm({ known, onInvited, onClose }: TermsFormProps) {
  const [terms, setTerms] = useState(NEW);
  const action = useAction();
  const change = (part: Partial<Terms>) => setTerms((before) => ({ ...before, ...part }));
  const isKnown = known.includes(terms.name.trim().toLowerCase());
  const pair = () =>
    action.run(async () => {
      const options = terms.session ? { session: terms.session } : {};
      onInvited(await call('PairService/NewPairing', requestOf(terms), options));
    });
  return (
    <form
      class="skill-run"
      aria-label="New pairing"
      onSubmit={(event) => {
        event.preventDefault();
        pair();
      }}
    >
      <TextField
        label="Name"
        hint="letters, digits, dash, dot and underscore, at most 40"
        pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,39}"
        required
        value={terms.name}
        onInput={(name) => change({ name })}
      />
      {isKnown && <p class="problem">An agent of this name is paired: that pairing is revoked at once.</p>}
      <ScopeFields scopes={terms.scopes} onChange={(scopes) => change({ scopes })} />
      <SessionFields terms={terms} onChange={change} />
      <label>
        <span>Ends</span>
        <select value={terms.ttl} onChange={(event) => change({ ttl: event.currentTarget.value })}>
          {LIFETIMES.map(([value, name]) => (
            <option value={value}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        <span>Calls a second</span>
        <input
          type="number"
          required
          min={1}
          max={MAX_RATE}
          value={terms.rate}
          onInput={(event) => change({ rate: event.currentTarget.value })}
        />
      </label>
      <details>
        <summary>Address</summary>
        <TextField
          label="Listen on"
          hint="such as 0.0.0.0:4567; a free port on 127.0.0.1 when empty"
          value={terms.listen}
          onInput={(listen) => change({ listen })}
        />
        <TextField
          label="Address for the agent"
          hint="when it is another, such as my-host.lan:4567"
          value={terms.address}
          onInput={(address) => change({ address })}
        />
      </details>
      <div class="row">
        <Button
          label="Pair"
          kind="primary"
          scope="control"
          disabled={terms.scopes.length === 0}
          because="Choose a scope"
          busy={action.busy}
          submit
        />
        <Button label="Cancel" onClick={onClose} />
      </div>
      <Failure error={action.error} retry={pair} dismiss={action.dismiss} />
    </form>
  );
}

function ScopeFields({ scopes, onChange }: { scopes: string[]; onChange: (scopes: string[]) => void }) {
  const toggle = (name: string) =>
    onChange(SCOPES.map(([one]) => one).filter((one) => (one === name) !== scopes.includes(one)));
  return (
    <fieldset class="checks">
      <legend>What it may do</legend>
      {SCOPES.map(([name, meaning]) => (
        <label class="check">
          <input type="checkbox" checked={scopes.includes(name)} onChange={() => toggle(name)} />
          <span>
            {name} <span class="muted">{meaning}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Limits of hosts hold only in a session that was made with them. */
function SessionFields({ terms, onChange }: { terms: Terms; onChange: (part: Partial<Terms>) => void }) {
  const { response } = useStore(overview);
  return (
    <>
      <label>
        <span>Session</span>
        <select value={terms.session} onChange={(event) => onChange({ session: event.currentTarget.value })}>
          <option value="">one of its own, without your cookies</option>
          {response?.sessions.map(({ name }) => (
            <option value={name}>{name}, with its cookies and without limits of hosts</option>
          ))}
        </select>
      </label>
      {terms.session ? (
        <label class="check">
          <input
            type="checkbox"
            checked={terms.allTabs}
            onChange={(event) => onChange({ allTabs: event.currentTarget.checked })}
          />
          It may use all tabs of the session, not only those that it opens
        </label>
      ) : (
        <TextField
          label="Hosts"
          hint="such as example.com, *.example.com; every public host when empty"
          value={terms.hosts}
          onInput={(hosts) => onChange({ hosts })}
        />
      )}
    </>
  );
}

interface TextFieldProps {
  label: string;
  hint: string;
  value: string;
  pattern?: string;
  required?: boolean;
  onInput: (value: string) => void;
}

function TextField({ label, hint, value, pattern, required, onInput }: TextFieldProps) {
  return (
    <label>
      <span>
        {label} <span class="muted">{hint}</span>
      </span>
      <input
        required={required}
        pattern={pattern}
        autoComplete="off"
        autoCapitalize="off"
        spellcheck={false}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

/** What is left out has the default of `browse pair new`. */
function requestOf({ name, scopes, hosts, session, allTabs, ttl, rate, listen, address }: Terms): NewPairingRequest {
  return {
    name: name.trim(),
    scope: scopes,
    ...(!session && hosts.trim() ? { host: [hosts.trim()] } : {}),
    ...(session && allTabs ? { tab_policy: 'session' } : {}),
    ...(ttl ? { ttl } : {}),
    ...(rate !== DEFAULT_RATE ? { rate: Number(rate) } : {}),
    ...(listen.trim() ? { listen: listen.trim() } : {}),
    ...(address.trim() ? { address: address.trim() } : {}),
  };
}
