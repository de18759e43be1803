// What somebody may have meant: near misses for a target without a match.

/** @returns {string[]} At most three suggestions, ready to be shown. */
const nearMisses = (target) => {
  if (target.kind === 'css') return nearIds(target.selector);
  const wanted = target.kind === 'text' || target.kind === 'label' || target.kind === 'role' ? target.name : null;
  if (wanted && wanted.regex) return [];
  const top = documentElement(document);
  if (!top) return [];
  const walk = walkFrom(top, { interactive: true, cursor: false, detail: false });
  const candidates = [];
  for (let index = 0; index < walk.nodes.length && candidates.length < 2000; index += FIELDS) {
    const role = walk.nodes[index + 1];
    const name = walk.nodes[index + 2];
    if (name === '' || (target.kind === 'role' && wanted === null)) continue;
    const score = likeness(wanted ? wanted.text : '', name) + (target.kind === 'role' && role === target.role ? 0.2 : 0);
    if (score > 0.4) candidates.push([score, `${role} "${clip(name)}"`]);
  }
  return [...new Set(candidates.sort((a, b) => b[0] - a[0]).map(([, text]) => text))].slice(0, 3);
};

const nearIds = (selector) => {
  const wanted = /#([\w-]+)/.exec(selector);
  if (!wanted) return [];
  const ids = new Set();
  for (const element of list(documentSelectAll(document, '[id]')).slice(0, 5000)) ids.add(attribute(element, 'id'));
  return [...ids].map((id) => [likeness(wanted[1], id), `#${id}`]).filter(([score]) => score > 0.5).sort((a, b) => b[0] - a[0]).slice(0, 3).map(([, id]) => clip(id));
};

/** The share of letter pairs two texts have in common, 0 to 1. */
const likeness = (first, second) => {
  const pairs = (text) => {
    const letters = tidy(text).toLowerCase();
    const found = new Map();
    for (let index = 0; index < letters.length - 1; index++) {
      const pair = letters.slice(index, index + 2);
      found.set(pair, (found.get(pair) || 0) + 1);
    }
    return [found, Math.max(letters.length - 1, 0)];
  };
  const [one, oneCount] = pairs(first);
  const [two, twoCount] = pairs(second.slice(0, 200));
  let shared = 0;
  for (const [pair, count] of one) shared += Math.min(count, two.get(pair) || 0);
  return oneCount + twoCount === 0 ? 0 : (2 * shared) / (oneCount + twoCount);
};
