// The messages of a session, the newest at the end.

import { useEffect, useRef } from 'preact/hooks';
import type { TalkMessage } from '../rpc/contract.ts';
import { Empty } from '../ui/panel.tsx';
import { Message } from './message.tsx';

/** Distance from the end up to which the newest message is brought into sight. */
const NEAR_END_PX = 80;

export function Conversation({ messages }: { messages: TalkMessage[] }) {
  const box = useRef<HTMLDivElement>(null);
  const wasAtEnd = useRef(true);
  useEffect(() => {
    const { current } = box;
    if (current && wasAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [messages]);
  const onScroll = () => {
    const { current } = box;
    if (current) wasAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR_END_PX;
  };
  return (
    <div ref={box} class="conversation" role="log" aria-label="Messages" tabIndex={0} onScroll={onScroll}>
      {messages.length === 0 ? (
        <Empty>Nothing was written yet.</Empty>
      ) : (
        <ul>
          {messages.map((message) => (
            <li key={message.id}>
              <Message message={message} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
