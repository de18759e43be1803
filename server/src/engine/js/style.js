// Styles of one element: what a property comes to, and changing it inline.

/** @param {string} name `backgroundColor` and `background-color` are the same. */
const propertyName = (name) => (name.startsWith('--') ? name : name.trim().replace(name.includes('-') ? /(?!)/ : /[A-Z]/g, '-$&').toLowerCase());

const knownProperty = (name) => {
  const property = propertyName(name);
  if (!property.startsWith('--') && !CSS.supports(property, 'initial')) throw new Refusal('bad-property', { message: `there is no property \`${clip(name)}\`` });
  return property;
};

/** @param {{target: Target, property: string, pseudo: ?string}} argument */
const computed = ({ target, property, pseudo }) =>
  withElement(target, (element) => {
    const name = knownProperty(property);
    if (pseudo && !CSS.supports(`selector(::${pseudo.replace(/^:+/, '')})`)) throw new Refusal('bad-property', { message: `there is no pseudo-element \`${clip(pseudo)}\`` });
    const style = styleOf(element, pseudo ? `::${pseudo.replace(/^:+/, '')}` : null);
    return { value: whole(style.getPropertyValue(name).trim()) };
  });
