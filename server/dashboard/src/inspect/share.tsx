// Brings the element that is inspected to the agent: by the clipboard, or by a note.

import { useState } from 'preact/hooks';
import type { InspectResponse, TabOverview } from '../rpc/contract.ts';
import { NoteForm } from '../talk/noteForm.tsx';
import { SendToTerminal } from '../terminal/send.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { agentText } from './words.ts';

interface ShareProps {
  element: InspectResponse;
  session: string;
  tab: TabOverview;
}

export function ShareElement({ element, session, tab }: ShareProps) {
  const [isWriting, setWriting] = useState(false);
  const text = agentText(element, tab.id, tab.url);
  return (
    <>
      <CopyButton label="Copy for the agent" text={text} what="Text for the agent">
        <Button label="Write to the agent" scope="write" pressed={isWriting} onClick={() => setWriting(!isWriting)} />
      </CopyButton>
      <SendToTerminal text={text} />
      {isWriting && <NoteForm session={session} target={{ ref: element.ref, tab: tab.id }} />}
    </>
  );
}
