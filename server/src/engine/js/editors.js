// Regions of text that a person can edit and that are no form controls: what is
// `contenteditable`, what has an EditContext, and a document in design mode.

const htmlEditContext = 'editContext' in HTMLElement.prototype ? getter(HTMLElement.prototype, 'editContext') : () => null;
const editContextOf = (element) => (element instanceof HTMLElement ? htmlEditContext(element) : null);
const editContextText = typeof EditContext === 'function' ? getter(EditContext.prototype, 'text') : () => '';
const designMode = getter(Document.prototype, 'designMode');

/** Whether the outermost element of such a region. */
const isEditor = (element, tag) => {
  if (!(element instanceof HTMLElement)) return false;
  if (tag === 'body' && designMode(document) === 'on') return true;
  if (hasAttribute(element, 'contenteditable') && isEditingHost(element)) {
    const parent = flatParent(element);
    return isContentEditable(element) && !(parent instanceof HTMLElement && isContentEditable(parent));
  }
  return editContextOf(element) !== null;
};

/** The text of an editable element, without what only lies in it, such as a placeholder. */
const editorText = (element) => {
  const context = editContextOf(element);
  if (context !== null) return editContextText(context);
  if (!(element instanceof HTMLElement)) return textContent(element);
  let text = innerText(element);
  for (const part of list(selectAll(element, '[contenteditable="false"]'))) {
    const style = styleOf(part);
    if (!(part instanceof HTMLElement) || (style.userSelect !== 'none' && style.pointerEvents !== 'none' && attribute(part, 'aria-hidden') !== 'true')) continue;
    const own = innerText(part);
    if (own !== '') text = text.replace(own, () => '');
  }
  for (const image of list(selectAll(element, 'img[alt]'))) text += attribute(image, 'alt');
  return text.replace(/\n$/, '');
};
