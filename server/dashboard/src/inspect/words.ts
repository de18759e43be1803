// What is said of an element: its box, its changes, and the text that an agent gets of it.

import type { BoxModel, InspectResponse, Sides } from '../rpc/contract.ts';

/** Characters of a text of the page that an agent gets, and declarations. */
const MAX_TEXT = 160;
const MAX_DECLARATIONS = 30;
const NO_SIDES: Sides = { top: 0, right: 0, bottom: 0, left: 0 };
const NO_BOX = { x: 0, y: 0, width: 0, height: 0 };

/** At most one digit after the point. */
export function pixelText(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** As CSS writes the widths at four sides. */
export function sidesText(sides: Sides | undefined): string {
  const { top, right, bottom, left } = sides ?? NO_SIDES;
  const [a, b, c, d] = [top, right, bottom, left].map(pixelText);
  if (a === c && b === d) return a === b ? `${a}` : `${a} ${b}`;
  return `${a} ${b} ${c} ${d}`;
}

export function boxText({ border_box, margin, border, padding, content_width, content_height }: BoxModel): string {
  const { x, y, width, height } = border_box ?? NO_BOX;
  const place = `${pixelText(width)} by ${pixelText(height)} at ${pixelText(x)},${pixelText(y)}`;
  const sides = `margin ${sidesText(margin)}, border ${sidesText(border)}, padding ${sidesText(padding)}`;
  return `${place}, ${sides}, content ${pixelText(content_width)} by ${pixelText(content_height)}`;
}

export function changeText({ property, before, after }: { property: string; before: string; after: string }): string {
  return `${property}: ${before} → ${after}`;
}

/** What names the element to an agent, and how it looks. */
export function agentText(element: InspectResponse, tab: string, url: string): string {
  const winning = element.rules
    .filter((rule) => rule.pseudo === '')
    .flatMap((rule) => rule.declarations)
    .filter(({ standing }) => standing === 'wins');
  const lines = winning
    .slice(0, MAX_DECLARATIONS)
    .map(({ name, value, important }) => `  ${oneLine(name)}: ${oneLine(value)}${important ? ' !important' : ''};`);
  return [
    `${element.ref} ${oneLine(element.element)} <${oneLine(element.selector)}>`,
    `page: ${oneLine(url)} (tab ${tab})`,
    `box: ${element.box ? boxText(element.box) : 'none, it is not rendered'}`,
    ...(lines.length > 0 ? ['styles:', ...lines] : []),
    ...(winning.length > MAX_DECLARATIONS ? [`  and ${winning.length - MAX_DECLARATIONS} more`] : []),
  ].join('\n');
}

/** A text of the page must not look like a line of its own. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}
