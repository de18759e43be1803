// Reads the stories out of the HTML of the front page. A story is two rows: one
// of class `athing` with rank, title and link, and one with points and comments.

/** A story of the front page. */
export interface Story {
  rank: number;
  id: string;
  title: string;
  url: string;
  /** `null` for a job posting. */
  points: number | null;
  /** `null` for a job posting. */
  comments: number | null;
}

const SITE = 'https://news.ycombinator.com/';

/** The stories of a page, in its order. */
export function parse(html: string): Story[] {
  const rows = [...html.matchAll(/<tr\b[^>]*>/gi)].map((match) => ({ tag: match[0], start: match.index, end: match.index + match[0].length }));
  const starts = rows.filter((row) => hasClass(row.tag, 'athing'));
  return starts.flatMap((row, index) => {
    const block = html.slice(row.end, starts[index + 1]?.start ?? html.length);
    return story(attribute(row.tag, 'id') ?? '', block) ?? [];
  });
}

/** Reads a story; undefined for a row that is none, such as one that was hidden. */
function story(id: string, block: string): Story | undefined {
  const rank = Number.parseInt(textOf(element(block, 'span', 'rank')), 10);
  const link = /<a\b[^>]*>([\s\S]*?)<\/a>/i.exec(element(block, 'span', 'titleline') ?? '');
  if (!link || !id || Number.isNaN(rank)) return undefined;
  const score = element(block, 'span', 'score');
  const isJob = score === undefined;
  return {
    rank,
    id,
    title: textOf(link[1]),
    url: absolute(attribute(link[0], 'href') ?? ''),
    points: isJob ? null : Number.parseInt(textOf(score), 10),
    comments: isJob ? null : comments(block, id),
  };
}

/** The number in `43 comments`; a link that says `discuss` is 0. */
function comments(block: string, id: string): number {
  const links = [...block.matchAll(/<a\b[^>]*>([\s\S]*?)<\/a>/gi)];
  const texts = links.filter((link) => attribute(link[0], 'href') === `item?id=${id}`).map((link) => textOf(link[1]));
  const counted = texts.map((text) => /^(\d+)\s+comments?$/.exec(text)?.[1]).find((count) => count !== undefined);
  return Number(counted ?? 0);
}

function absolute(href: string): string {
  return URL.canParse(href, SITE) ? new URL(href, SITE).href : href;
}

// === HTML ===

/** What stands between the tags of the first element of this class, elements inside included. */
function element(html: string, tag: string, name: string): string | undefined {
  const tags = html.matchAll(new RegExp(`<(/?)${tag}\\b[^>]*>`, 'gi'));
  let start = -1;
  let depth = 0;
  for (const match of tags) {
    if (start < 0) {
      if (!match[1] && hasClass(match[0], name)) start = match.index + match[0].length;
    } else if (!match[1]) {
      depth += 1;
    } else if (depth > 0) {
      depth -= 1;
    } else {
      return html.slice(start, match.index);
    }
  }
  return undefined;
}

function hasClass(tag: string, name: string): boolean {
  return (attribute(tag, 'class') ?? '').split(/\s+/).includes(name);
}

/** The value of an attribute, whatever its quotes and its place. */
function attribute(tag: string, name: string): string | undefined {
  const attributes = tag.matchAll(/([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g);
  for (const [, found, double, single, bare] of attributes) {
    if (found?.toLowerCase() === name) return decodeEntities(double ?? single ?? bare ?? '');
  }
  return undefined;
}

/** The text of some HTML: without tags, entities decoded, blanks folded. */
function textOf(html: string | undefined): string {
  const text = decodeEntities((html ?? '').replace(/<[^>]*>/g, ''));
  return text.replace(/[\s\u00a0]+/g, ' ').trim();
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (entity, hex, decimal, name) => {
    if (name) return ENTITIES[name] ?? entity;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
