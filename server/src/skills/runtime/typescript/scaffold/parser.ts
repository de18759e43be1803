// Takes the headings out of HTML.

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };

export function parse(html: string): string[] {
  const headings = [...html.matchAll(/<h[1-6]\b[^>]*>(.*?)<\/h[1-6]>/gis)];
  return headings.map((heading) => text(heading[1] ?? '')).filter((heading) => heading !== '');
}

function text(html: string): string {
  const plain = html.replace(/<[^>]*>/g, '').replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
  return plain.replace(/\s+/g, ' ').trim();
}
