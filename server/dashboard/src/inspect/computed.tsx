// The computed properties of an element, with a filter.

import { useState } from 'preact/hooks';
import type { ComputedProperty } from '../rpc/contract.ts';
import { Empty } from '../ui/panel.tsx';

export function ComputedList({ properties }: { properties: ComputedProperty[] }) {
  const [filter, setFilter] = useState('');
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = properties.filter(({ name, value }) => {
    const text = `${name}: ${value}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <>
      <input
        type="search"
        aria-label="Filter of computed properties"
        placeholder="Filter by text"
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      <p class="muted" role="status">
        {matching.length} of {properties.length} properties
      </p>
      {matching.length === 0 ? (
        <Empty>No property matches.</Empty>
      ) : (
        <ul class="declarations">
          {matching.map(({ name, value }) => (
            <li key={name}>
              <code>
                {name}: {value}
              </code>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
