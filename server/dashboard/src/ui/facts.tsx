// Names and values.

export function Facts({ facts }: { facts: [name: string, value: string | undefined][] }) {
  return (
    <dl class="facts-list">
      {facts.map(
        ([name, value]) =>
          value && (
            <div>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
