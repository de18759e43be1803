// The media of one document, in its order: {url, name} for each.
(kind, selector) => {
  const found = new Map();
  const add = (url, name) => {
    if (typeof url !== 'string' || url === '' || url === 'about:blank') return;
    try {
      const whole = new URL(url, document.baseURI);
      whole.hash = '';
      if (!found.has(whole.href)) found.set(whole.href, name ? String(name) : null);
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
    for (const element of root.querySelectorAll('*')) {
      look(element);
      if (element.shadowRoot) walk(element.shadowRoot);
    }
  };
  if (selector === null) walk(document);
  else {
    let tops;
    try {
      tops = document.querySelectorAll(selector);
    } catch {
      return JSON.stringify({ invalid: true, files: [] });
    }
    for (const top of tops) {
      look(top);
      if (top.shadowRoot) walk(top.shadowRoot);
      walk(top);
    }
  }
  return JSON.stringify({ invalid: false, files: [...found].map(([url, name]) => ({ url, name })) });
}
