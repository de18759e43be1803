// What an agent asks a person to do in a session.

import type { SessionOverview } from '../rpc/contract.ts';

export function PersonRequest({ session: { request } }: { session: SessionOverview }) {
  if (request === undefined) return null;
  return (
    <p class="request">
      <strong>An agent asks for a person{request ? ':' : '.'}</strong> {request}
    </p>
  );
}
