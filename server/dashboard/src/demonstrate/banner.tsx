// Says on other views that a demonstration still runs, and leads back to it.

import { findTab, overview } from '../state/overview.ts';
import { hrefOf, route } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { demonstrations } from './demonstrations.ts';

export function DemonstrationBanners() {
  const running = useStore(demonstrations);
  const { response } = useStore(overview);
  const { tab } = useStore(route);
  const shown = tab === undefined ? undefined : findTab(response, tab)?.session.name;
  return (
    <>
      {[...running.keys()]
        .filter((name) => name !== shown)
        .map((name) => {
          const session = response?.sessions.find((one) => one.name === name);
          const back = session?.tabs.find(({ active }) => active) ?? session?.tabs[0];
          return (
            <p class="banner">
              A demonstration runs in session {name}.{' '}
              {back && <a href={hrefOf({ view: 'live', tab: back.id })}>Back to it</a>}
            </p>
          );
        })}
    </>
  );
}
