// A tab in the grid.

import { useRef } from 'preact/hooks';
import type { SessionOverview, TabOverview } from '../rpc/contract.ts';
import { hrefOf } from '../state/route.ts';
import { Ago } from '../ui/time.tsx';
import { Marker } from './marker.tsx';
import { usePicture, type PictureInfo } from './usePicture.ts';
import { useVisible } from './visible.ts';
import { actionText, holderText, titleOf } from './words.ts';

/** Of `.thumbnail` in live.css. */
const THUMBNAIL_RATIO = 16 / 10;

export function TabCard({ session, tab }: { session: SessionOverview; tab: TabOverview }) {
  const box = useRef<HTMLAnchorElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const info = usePicture(canvas, tab.id, useVisible(box));
  return (
    <a
      ref={box}
      class={`card${tab.active ? ' active' : ''}`}
      href={hrefOf({ view: 'live', tab: tab.id })}
      data-tab={tab.id}
    >
      <span class="thumbnail">
        <canvas ref={canvas} width="320" height="200" aria-hidden="true" />
        <StateCover session={session} info={info} />
        {info && <Marker action={tab.last_action} width={info.width} height={info.height} boxRatio={THUMBNAIL_RATIO} />}
        {(tab.dialog || tab.prompt) && (
          <span class="chip question">{tab.dialog ? `${tab.dialog.kind} is open` : `${tab.prompt?.kind} is open`}</span>
        )}
      </span>
      <span class="card-text">
        <span class="title">{titleOf(tab)}</span>
        <span class="address">{tab.url}</span>
        <span class="muted facts">
          <span>
            {tab.state}
            {tab.active ? ', active' : ''}
            {tab.owner !== session.owner ? ` · opened by ${tab.owner}` : ''}
          </span>
          {tab.last_action && (
            <span>
              {actionText(tab.last_action)} · <Ago time={tab.last_action.time} />
            </span>
          )}
        </span>
      </span>
    </a>
  );
}

/** Why there is no current picture. */
export function StateCover({ session, info }: { session: SessionOverview; info: PictureInfo | undefined }) {
  const { holder } = session;
  if (holder && !holder.is_you && (!info || info.state === 'held'))
    return <span class="cover">{holderText(holder)}</span>;
  if (!info) return <span class="cover">Waiting for a picture…</span>;
  switch (info.state) {
    case 'held':
      return <span class="cover">Somebody controls this session</span>;
    case 'hidden':
      return <span class="cover">Behind another tab, so it is not drawn</span>;
    case 'closed':
      return <span class="cover">Closed</span>;
    case 'still':
      return (
        <span class="chip still">
          Still
          {info.time && (
            <>
              , <Ago time={info.time} />
            </>
          )}
        </span>
      );
    default:
      return null;
  }
}
