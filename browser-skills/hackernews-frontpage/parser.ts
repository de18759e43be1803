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
  const counted = texts.map((text) => /^([0-9]+) comments?$/.exec(text)?.[1]).find((count) => count !== undefined);
  return Number(counted ?? 0);
}

/** The address as the page writes it, made whole. */
function absolute(href: string): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return href;
  if (href.startsWith('//')) return `https:${href}`;
  return SITE + href.replace(/^\//, '');
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
  return (attribute(tag, 'class') ?? '').split(/[ \t\n\f\r]+/).includes(name);
}

/** The value of an attribute, whatever its quotes and its place. */
function attribute(tag: string, name: string): string | undefined {
  const attributes = tag.matchAll(/([^ \t\n\f\r"'<>/=]+)[ \t\n\f\r]*=[ \t\n\f\r]*(?:"([^"]*)"|'([^']*)'|([^ \t\n\f\r"'>]+))/g);
  for (const [, found, double, single, bare] of attributes) {
    if (found?.toLowerCase() === name) return decodeEntities(double ?? single ?? bare ?? '');
  }
  return undefined;
}

/** The text of some HTML: without tags, entities decoded, blanks folded. */
function textOf(html: string | undefined): string {
  const text = decodeEntities((html ?? '').replace(/<[^>]*>/g, ''));
  return text.replace(/[ \t\n\f\r\u00a0]+/g, ' ').replace(/^ | $/g, '');
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (entity, hex, decimal, name) => {
    if (name) return ENTITIES[name] ?? entity;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '\ufffd';
  });
}
