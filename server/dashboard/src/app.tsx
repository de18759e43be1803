// The page: its navigation, what holds for all views, and the view that is open.

import { useEffect } from 'preact/hooks';
import { DemonstrationBanners } from './demonstrate/banner.tsx';
import { SidePanelView } from './panel/view.tsx';
import { login } from './state/login.ts';
import { followOverview } from './state/overview.ts';
import { probeDaemon } from './state/probe.ts';
import { route, type View } from './state/route.ts';
import { useStore } from './state/store.ts';
import { followTalk } from './state/talk.ts';
import { followTitle } from './state/title.ts';
import { QuestionBanners } from './talk/questions.tsx';
import { TalkView } from './talk/talk.tsx';
import { TerminalView } from './terminal/view.tsx';
import { Banners } from './ui/banners.tsx';
import { Navigation } from './ui/navigation.tsx';
import { ApprovalsView } from './views/approvals.tsx';
import { EntryPage } from './views/entry.tsx';
import { LiveView } from './live/live.tsx';
import { SessionsView } from './views/sessions.tsx';
import { SkillsView } from './views/skills.tsx';
import { SystemView } from './views/system.tsx';
import { TimelineView } from './views/timeline.tsx';

const PAGES: Record<View, () => preact.JSX.Element> = {
  panel: SidePanelView,
  live: LiveView,
  talk: TalkView,
  approvals: ApprovalsView,
  timeline: TimelineView,
  skills: SkillsView,
  sessions: SessionsView,
  terminal: TerminalView,
  system: SystemView,
};

/** Views that show the questions of agents themselves. */
const SHOWS_QUESTIONS = new Set<View>(['panel', 'live', 'talk']);

export function App() {
  const { state } = useStore(login);
  if (state !== 'in') return <EntryPage />;
  return <Dashboard />;
}

function Dashboard() {
  const { view } = useStore(route);
  const Page = PAGES[view];
  useEffect(() => {
    const abort = new AbortController();
    followOverview(abort.signal);
    followTalk(abort.signal);
    followTitle(abort.signal);
    probeDaemon(abort.signal);
    return () => abort.abort();
  }, []);
  return (
    <div class="shell">
      <Navigation />
      <div class="content">
        <Banners>
          {!SHOWS_QUESTIONS.has(view) && <QuestionBanners />}
          <DemonstrationBanners />
        </Banners>
        <main key={view} data-view={view}>
          <Page />
        </main>
      </div>
    </div>
  );
}
