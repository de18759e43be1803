// The picture of the element that a note is about, loaded when it is asked for.

import { useEffect, useState } from 'preact/hooks';
import { fromBase64 } from '../rpc/base64.ts';
import { call } from '../rpc/client.ts';
import type { TalkMessage } from '../rpc/contract.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { useAction } from '../ui/useCall.ts';

export function MessagePicture({ message: { id, session } }: { message: TalkMessage }) {
  const [url, setUrl] = useState<string>();
  const [isBroken, setBroken] = useState(false);
  const action = useAction();
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);
  const show = async () => {
    const { image } = await call('BrowserService/InboxPicture', { id }, { session });
    setBroken(false);
    setUrl(URL.createObjectURL(new Blob([fromBase64(image)], { type: 'image/jpeg' })));
  };
  return (
    <div class="talk-picture">
      <Button
        label={url ? 'Hide the picture' : 'Show the picture'}
        scope="meta"
        busy={action.busy}
        onClick={() => (url ? setUrl(undefined) : action.run(show))}
      />
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
      {url && isBroken && <p class="muted">The picture cannot be shown.</p>}
      {url && !isBroken && <img src={url} alt="The element and what is around it" onError={() => setBroken(true)} />}
    </div>
  );
}
