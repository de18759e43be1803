// Names of elements and roles of one kind.

/** Tags that may host a shadow tree besides custom elements. */
export const HOST_TAGS = new Set(['article', 'aside', 'blockquote', 'body', 'div', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'main', 'nav', 'p', 'section', 'span']);

/** Tags that never show anything of their own. */
export const SKIPPED_TAGS = new Set(['script', 'style', 'template', 'head', 'meta', 'link', 'title', 'param', 'source', 'track', 'base', 'datalist', 'rp', 'area']);

/** Elements whose text is not that of their children. */
export const FIELD_TAGS = new Set(['input', 'select', 'textarea']);

export const FRAME_TAGS = new Set(['iframe', 'frame', 'object']);

/** Roles that a person operates. `-i` lists these. */
export const INTERACTIVE = new Set(
  'button link textbox searchbox combobox listbox option checkbox radio switch slider spinbutton menuitem menuitemcheckbox menuitemradio tab treeitem scrollbar'.split(' '),
);

/** Tags that the survey of a text collects on its way. */
export const FURNITURE_TAGS = new Set(['nav', 'aside', 'footer']);

/** What says something without text below it. */
export const WORDLESS_TAGS = new Set(['iframe', 'frame', 'input', 'textarea', 'select', 'img', 'video', 'object', 'embed', 'canvas']);

export const EDITABLE_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider']);
