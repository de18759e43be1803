// The refs of the active tab. In a window that a person sees, an element is framed on the page
// while its row is pointed at.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { RefRows } from '../live/refRows.tsx';
import { useRefs } from '../live/refs.tsx';
import type { SessionOverview, TabOverview } from '../rpc/contract.ts';
import type { CallError } from '../rpc/error.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { Highlighter } from './highlighter.ts';

export function RefsPanel({ session, tab }: { session: SessionOverview; tab: TabOverview }) {
  const refs = useRefs(session.name, tab.id);
  const [problem, setProblem] = useState<CallError>();
  const highlighter = useMemo(() => new Highlighter(session.name, tab.id, setProblem), [session.name, tab.id]);
  const isSeen = session.display === 'window';
  const url = useRef(tab.url);
  useEffect(() => {
    // Those of the page before are stale.
    if (refs.isOn && url.current !== tab.url) refs.reload();
    url.current = tab.url;
  }, [tab.url]);
  const error = refs.error ?? problem;
  return (
    <Panel
      title="Refs"
      scope="read"
      tools={
        <>
          {refs.isOn && <Button label="Reload the refs" icon="reload" iconOnly onClick={refs.reload} />}
          <Button label={refs.isOn ? 'Hide refs' : 'Show refs'} icon="refs" pressed={refs.isOn} onClick={refs.toggle} />
        </>
      }
    >
      <Failure
        error={error}
        retry={refs.error && refs.reload}
        dismiss={() => (refs.error ? refs.toggle() : setProblem(undefined))}
      />
      {refs.isOn && !refs.error && !refs.nodes && <Empty>Loading the refs…</Empty>}
      {refs.nodes?.length === 0 && <Empty>Nothing on this page can be acted on.</Empty>}
      {refs.nodes && refs.nodes.length > 0 && (
        <RefRows nodes={refs.nodes} onPoint={(ref) => isSeen && highlighter.point(ref)} />
      )}
    </Panel>
  );
}
