// Links, and whether a text shows.

/** Every address once, with the first text that leads there. @param {{seen?: boolean}} argument With `seen` without links that no person sees. */
const links = (argument) => {
  beginCall();
  if (argument.seen) unseenNow = unseenIn(documentElement(document), shadowRootsWithin(document));
  const seen = new Map();
  const collect = (root) => {
    const all = root === document ? documentSelectAll(document, 'a[href],area[href]') : shadowSelectAll(root, 'a[href],area[href]');
    for (const link of list(all)) {
      const href = link instanceof HTMLAnchorElement || link instanceof HTMLAreaElement ? link.href : attribute(link, 'href') || '';
      if (href === '' || href.startsWith('javascript:') || !isShown(link) || (unseenNow !== null && isUnseenControl(unseenNow, link))) continue;
      const name = whole(nameOf(link, 'link'));
      if (!seen.has(href) || seen.get(href) === '') seen.set(href, name);
    }
  };
  collect(document);
  for (const root of shadowRootsWithin(document)) collect(root);
  const unseen = unseenNow === null ? {} : unseenNow.counts;
  return { links: [...seen].map(([href, name]) => [name, whole(href)]), unseen };
};

/** Whether a text shows anywhere; innerText leaves out what is not rendered. */
const hasText = ({ text: wanted }) => {
  const needle = tidy(wanted).toLowerCase();
  const body = documentBody(document);
  const shows = (element) => element instanceof HTMLElement && tidy(innerText(element)).toLowerCase().includes(needle);
  if (body && shows(body)) return { is: true };
  return { is: shadowRootsWithin(document).some((root) => { for (let child = firstElementChildOf(root); child; child = nextElementSibling(child)) if (shows(child)) return true; return false; }) };
};

const firstElementChildOf = (root) => {
  for (let child = firstChild(root); child; child = nextSibling(child)) if (nodeType(child) === ELEMENT) return child;
  return null;
};
