// How many things want the person; nothing when none does.

export function Badge({ count, what }: { count: number; what: string }) {
  if (count < 1) return null;
  return (
    <span class="badge">
      {count}
      <span class="visually-hidden"> {what}</span>
    </span>
  );
}
