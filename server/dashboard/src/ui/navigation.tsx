// The views, and what holds for the page: theme, version, end of the link.

import { frame } from '../rpc/frame.ts';
import { login } from '../state/login.ts';
import { overview, waitingCount } from '../state/overview.ts';
import { hrefOf, route, type View } from '../state/route.ts';
import { seen, unseenSays } from '../state/seen.ts';
import { useStore } from '../state/store.ts';
import { talk, waitingQuestions } from '../state/talk.ts';
import { nextTheme, theme } from '../state/theme.ts';
import { Badge } from './badge.tsx';
import { Icon } from './icons.tsx';
import { dateText } from './time.tsx';

const NAMES: Record<View, string> = {
  panel: 'Panel',
  live: 'Live',
  talk: 'Talk',
  approvals: 'Approvals',
  timeline: 'Timeline',
  skills: 'Skills',
  sessions: 'Sessions',
  terminal: 'Terminal',
  system: 'System',
};

export function Navigation() {
  const current = useStore(route);
  const { response } = useStore(overview);
  const { version, expiresAt, readOnly } = useStore(login);
  const messages = useStore(talk);
  useStore(seen);
  const approvals = response?.approvals ?? 0;
  const isListed = (view: View) =>
    current.view === view ||
    (view === 'terminal' ? response?.terminal : view === 'panel' ? frame !== 'page' : true);
  const badges: Partial<Record<View, preact.JSX.Element>> = {
    live: <Badge count={waitingCount(response) - approvals} what="waiting" />,
    talk: <Badge count={waitingQuestions(messages).length + unseenSays(messages).length} what="to read or answer" />,
    approvals: <Badge count={approvals} what="waiting" />,
  };
  return (
    <nav class="rail" aria-label="Views">
      <p class="brand">browse</p>
      <ul>
        {(Object.keys(NAMES) as View[]).filter(isListed).map((view) => (
          <li>
            <a href={hrefOf({ view })} aria-current={current.view === view ? 'page' : undefined}>
              <Icon name={view} />
              <span class="name">{NAMES[view]}</span>
              {badges[view]}
            </a>
          </li>
        ))}
      </ul>
      <div class="rail-end">
        <ThemeButton />
        <p class="muted" title={expiresAt && `This link ends ${dateText(expiresAt)}`}>
          {readOnly && (
            <>
              <strong>Read only</strong>
              <br />
            </>
          )}
          {response?.version ?? version}
        </p>
      </div>
    </nav>
  );
}

function ThemeButton() {
  const name = useStore(theme);
  return (
    <button
      type="button"
      class="button icon-only"
      onClick={nextTheme}
      aria-label={`Theme: ${name}`}
      title={`Theme: ${name}`}
    >
      <Icon name="theme" />
    </button>
  );
}
