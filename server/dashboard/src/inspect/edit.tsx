// Changes styles of the element that is inspected: a value in its place, or a property more.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { StyleDeclaration } from '../rpc/contract.ts';
import { hasScope } from '../state/login.ts';
import { Button } from '../ui/button.tsx';
import type { Inspector } from './useInspector.ts';

/** A button that becomes a field for the value of a declaration. */
export function ValueEditor({ declaration, inspector }: { declaration: StyleDeclaration; inspector: Inspector }) {
  const { name, value, important } = declaration;
  const [draft, setDraft] = useState<string>();
  const box = useRef<HTMLSpanElement>(null);
  const isEditing = draft !== undefined;
  const wasEditing = useRef(false);
  useEffect(() => {
    if (isEditing === wasEditing.current) return;
    wasEditing.current = isEditing;
    // What had the focus is gone.
    box.current?.querySelector<HTMLElement>('input, button')?.focus();
  }, [isEditing]);
  return (
    <span ref={box} class="value-editor">
      {isEditing ? (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            inspector.change(name, draft);
            setDraft(undefined);
          }}
          onKeyDown={(event) => event.key === 'Escape' && setDraft(undefined)}
        >
          <input
            aria-label={`Value of ${name}`}
            value={draft}
            autoComplete="off"
            spellcheck={false}
            onInput={(event) => setDraft(event.currentTarget.value)}
          />
          <Button label="Set" kind="primary" scope="admin" submit />
          <Button label="Cancel" onClick={() => setDraft(undefined)} />
        </form>
      ) : (
        <Button
          label={`Change ${name}`}
          icon="edit"
          iconOnly
          scope="admin"
          onClick={() => setDraft(important ? `${value} !important` : value)}
        />
      )}
    </span>
  );
}

export function PropertyAdder({ inspector }: { inspector: Inspector }) {
  const [property, setProperty] = useState('');
  const [value, setValue] = useState('');
  const allowed = hasScope('admin');
  return (
    <form
      class="row property-adder"
      aria-label="Add a property"
      onSubmit={(event) => {
        event.preventDefault();
        inspector.change(property.trim(), value);
        setProperty('');
        setValue('');
      }}
    >
      <input
        aria-label="Property"
        placeholder="Property"
        required
        autoComplete="off"
        spellcheck={false}
        disabled={!allowed}
        value={property}
        onInput={(event) => setProperty(event.currentTarget.value)}
      />
      <input
        aria-label="Value"
        placeholder="Value"
        autoComplete="off"
        spellcheck={false}
        disabled={!allowed}
        value={value}
        onInput={(event) => setValue(event.currentTarget.value)}
      />
      <Button label="Add" scope="admin" disabled={inspector.isBusy} submit />
    </form>
  );
}
