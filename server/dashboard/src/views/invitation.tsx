// What a new agent gets, once: a command with the key, the same as a QR code, and the whole block.

import type { NewPairingResponse } from '../rpc/contract.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Output } from '../ui/output.tsx';
import { QrCode } from '../ui/qr.tsx';
import { remainingText, useSeconds } from '../ui/time.tsx';

/** `host:port` that leads to this machine from wherever it is used. */
const THIS_MACHINE = /^(localhost|127\.[\d.]+|\[::1\]):/;

export function Invitation({ invitation, onClose }: { invitation: NewPairingResponse; onClose: () => void }) {
  const { name, address, scopes, hosts, replaced, key_expires_at } = invitation;
  useSeconds();
  const hasEnded = Date.parse(key_expires_at) <= Date.now();
  return (
    <section class="invitation" aria-label={`Invitation of ${name}`}>
      <h3>Invitation of {name}</h3>
      <p>
        It may {scopes.join(', ')}, on {hosts.join(', ') || 'every public host'}.
        {replaced && ' What it had before was revoked.'}
      </p>
      {THIS_MACHINE.test(address) && (
        <p class="problem">
          {address} is reached from this machine, or by a port that is forwarded to it. For an agent on another machine
          start a tunnel first (<code>browse tunnel start</code>), or set “Address” in the form.
        </p>
      )}
      {hasEnded ? (
        <p role="status">The key has ended. Pair the agent again, unless it has used the key.</p>
      ) : (
        <InvitationTexts invitation={invitation} />
      )}
      <div class="row">
        <Button label="Close" onClick={onClose} />
      </div>
    </section>
  );
}

function InvitationTexts({ invitation }: { invitation: NewPairingResponse }) {
  const { block, link, key_expires_at } = invitation;
  const command = `browse redeem ${link}`;
  return (
    <>
      <p>
        Give one of these to the agent now: they are shown once. The key is good once, and ends in{' '}
        {remainingText(key_expires_at)}.
      </p>
      <Output label="Command" text={command} />
      <CopyButton label="Copy the command" what="Command to copy" text={command} />
      <QrCode text={command} label="QR code of the command" />
      <details>
        <summary>The whole text, also for agents without the command line</summary>
        <Output label="Text for the agent" text={block} />
        <CopyButton label="Copy the text" what="Text to copy" text={block} />
      </details>
    </>
  );
}
