// The media of one document, in its order: {url, name} for each.
(kind, selector) => {
  const found = new Map();
  const query = Element.prototype.querySelectorAll;
  const queryRoot = DocumentFragment.prototype.querySelectorAll;
  // Pictures in addresses are long, and the list of all is one message.
  let room = 24 << 20;
  const add = (url, name) => {
    if (typeof url !== 'string' || url === '' || url === 'about:blank' || url.length > room) return;
    try {
      const whole = new URL(url, document.baseURI);
      whole.hash = '';
      if (found.has(whole.href)) return;
      found.set(whole.href, name ? String(name) : null);
      room -= whole.href.length;
    } catch {
      // What is no address is nobody's file.
    }
  };
  const images = kind !== 'videos';
  const videos = kind !== 'images';
  const look = (element) => {
    const tag = element.localName;
    if (images) {
      if (tag === 'img') add(element.currentSrc || element.src);
      else if (tag === 'image' && element.href) add(element.href.baseVal);
      else if (tag === 'input' && element.type === 'image') add(element.src);
      const background = getComputedStyle(element).backgroundImage;
      if (background !== 'none') for (const [, , url] of background.matchAll(/url\((["']?)(.*?)\1\)/g)) add(url);
    }
    if (images && tag === 'video') add(element.poster);
    if ((videos && tag === 'video') || (kind === 'media' && tag === 'audio')) {
      add(element.currentSrc || element.src);
      if (!element.currentSrc && !element.src) for (const source of element.querySelectorAll('source')) add(source.src);
    }
  };
  const walk = (root) => {
    // A form can have a field that is called like a method.
    const all = root instanceof Element ? query : root instanceof Document ? Document.prototype.querySelectorAll : queryRoot;
    for (const element of all.call(root, '*')) {
      look(element);
      if (element.shadowRoot instanceof ShadowRoot) walk(element.shadowRoot);
    }
  };
  if (selector === null) walk(document);
  else {
    let tops;
    try {
      tops = Document.prototype.querySelectorAll.call(document, selector);
    } catch {
      return JSON.stringify({ invalid: true, files: [] });
    }
    for (const top of tops) {
      look(top);
      if (top.shadowRoot instanceof ShadowRoot) walk(top.shadowRoot);
      walk(top);
    }
  }
  return JSON.stringify({ invalid: false, files: [...found].map(([url, name]) => ({ url, name })) });
}
