// The address of a tab, which can be changed.

import { useState } from 'preact/hooks';
import { Button } from './button.tsx';

export function AddressForm({ url, onOpen }: { url: string; onOpen: (address: string) => void }) {
  // Follows the tab until the person writes into it.
  const [draft, setDraft] = useState<string>();
  return (
    <form
      class="address-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (draft?.trim()) onOpen(draft.trim());
        setDraft(undefined);
      }}
    >
      <input
        aria-label="Address"
        type="text"
        inputMode="url"
        autoComplete="off"
        autoCapitalize="off"
        spellcheck={false}
        value={draft ?? url}
        onInput={(event) => setDraft(event.currentTarget.value)}
      />
      <Button label="Open" scope="write" submit />
    </form>
  );
}
