// File inputs, which pages like to hide behind labels and buttons.

const inputMultiple = getter(HTMLInputElement.prototype, 'multiple');
const inputAccept = getter(HTMLInputElement.prototype, 'accept');
const inputDirectory = getter(HTMLInputElement.prototype, 'webkitdirectory');

const isFileInput = (element) => element instanceof HTMLInputElement && inputType(element) === 'file';

/** The one file input that an element stands for: itself, its label's, or the only one in it. @returns {?HTMLInputElement} */
const fileInputOf = (element) => {
  if (isFileInput(element)) return element;
  const label = element instanceof HTMLLabelElement ? element : closest(element, 'label');
  if (label && isFileInput(labelControl(label))) return labelControl(label);
  const inner = list(selectAll(element, 'input')).filter(isFileInput);
  return inner.length === 1 ? inner[0] : null;
};

/** What a person might click to get a file chooser; never a field or a plain link. */
const mayOpenChooser = (element) => {
  if (isFormControl(element)) return element instanceof HTMLInputElement && inputType(element) === 'button';
  if (localName(element) === 'a' && hasAttribute(element, 'href') && !/^(?:#|javascript:)/i.test(attribute(element, 'href')) && attribute(element, 'role') !== 'button') return false;
  return true;
};

/** What a file input takes. @param {{target: Target}} argument */
const fileField = ({ target }) => {
  beginCall();
  const found = findOne(target);
  return withLabel(found, () => {
    const input = fileInputOf(found);
    if (!input) {
      if (!mayOpenChooser(found)) throw new Refusal('not-file');
      return { input: false };
    }
    return fileFacts(input);
  });
};

const fileFacts = (input) => {
  if (isDisabled(input)) throw new Refusal('disabled');
  watchChanges(input);
  takeBaseline();
  return { input: true, multiple: inputMultiple(input) || inputDirectory(input), accept: inputAccept(input) };
};

/** The input itself, for the browser. */
const fileInput = ({ target }) => {
  beginCall();
  return fileInputOf(findOne(target));
};

/** The facts of an input that a file chooser was opened for, as JSON. */
const factsOfChosen = (input) => {
  beginCall();
  try {
    return JSON.stringify(withLabel(input, () => fileFacts(input)));
  } catch (error) {
    if (error instanceof Refusal) return JSON.stringify(error.facts);
    throw error;
  }
};
