// Text with its own line breaks, which scrolls within itself.

export function Output({ label, text }: { label: string; text: string }) {
  return (
    <pre tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}

/** JSON with a line for each member; other text as it is. */
export function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
