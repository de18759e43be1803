// The views, and what holds for the page: theme, version, end of the link.

import { login } from '../state/login.ts';
import { overview, waitingCount } from '../state/overview.ts';
import { hrefOf, route, type View } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { nextTheme, theme } from '../state/theme.ts';
import { Icon } from './icons.tsx';
import { dateText } from './time.tsx';

const NAMES: Record<View, string> = {
  live: 'Live',
  approvals: 'Approvals',
  timeline: 'Timeline',
  skills: 'Skills',
  sessions: 'Sessions',
  system: 'System',
};

export function Navigation() {
  const current = useStore(route);
  const { response } = useStore(overview);
  const { version, expiresAt, readOnly } = useStore(login);
  const approvals = response?.approvals ?? 0;
  const badges: Partial<Record<View, number>> = { approvals, live: waitingCount(response) - approvals };
  return (
    <nav class="rail" aria-label="Views">
      <p class="brand">browse</p>
      <ul>
        {(Object.keys(NAMES) as View[]).map((view) => (
          <li>
            <a href={hrefOf({ view })} aria-current={current.view === view ? 'page' : undefined}>
              <Icon name={view} />
              <span class="name">{NAMES[view]}</span>
              <Badge count={badges[view] ?? 0} />
            </a>
          </li>
        ))}
      </ul>
      <div class="rail-end">
        <ThemeButton />
        <p class="muted" title={`This link ends ${dateText(expiresAt)}`}>
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

function Badge({ count }: { count: number }) {
  if (count < 1) return null;
  return (
    <span class="badge">
      {count}
      <span class="visually-hidden"> waiting</span>
    </span>
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
