// Styles of one element: what a property comes to, and changing it inline.

import { Refusal } from './refusal.js';
import { hasAttribute, localName, ownerDocument, styleOf, tidy } from './dom.js';
import { withElement } from './facts.js';
import { whole } from './markup.js';
import { attribute, documentElement, getter } from './primordials.js';
import { clip, labelOf } from './targets.js';
/** @import { Target } from './targets.js' */

/** @param {string} name `backgroundColor` and `background-color` are the same. */
const propertyName = (name) => (name.startsWith('--') ? name : name.trim().replace(name.includes('-') ? /(?!)/ : /[A-Z]/g, '-$&').toLowerCase());

const knownProperty = (name) => {
  const property = propertyName(name);
  if (!property.startsWith('--') && !CSS.supports(property, 'initial')) throw new Refusal('bad-property', { message: `there is no property \`${clip(name)}\`` });
  return property;
};

/** @param {{target: Target, property: string, pseudo: ?string}} argument */
export const computed = ({ target, property, pseudo }) =>
  withElement(target, (element) => {
    const name = knownProperty(property);
    if (pseudo && !CSS.supports(`selector(::${pseudo.replace(/^:+/, '')})`)) throw new Refusal('bad-property', { message: `there is no pseudo-element \`${clip(pseudo)}\`` });
    const style = styleOf(element, pseudo ? `::${pseudo.replace(/^:+/, '')}` : null);
    return { value: whole(style.getPropertyValue(name).trim()) };
  });

/** The longhands of a style attribute that `property` sets, as name, value and priority. */
const inlineLonghands = (style, property, value) => {
  const scratch = ownerDocument(documentElement(document)).createElement('p').style;
  scratch.setProperty(property, value);
  const names = Array.from(scratch);
  return (names.length > 0 ? names : [property]).map((name) => [name, style.getPropertyValue(name), style.getPropertyPriority(name)]);
};

export const inlineStyle = (element) => {
  if (!(element instanceof HTMLElement || element instanceof SVGElement || element instanceof MathMLElement)) throw new Refusal('bad-property', { message: 'the element has no style of its own' });
  return (element instanceof HTMLElement ? htmlStyle : element instanceof SVGElement ? svgStyle : mathStyle)(element);
};

const htmlStyle = getter(HTMLElement.prototype, 'style');
const svgStyle = getter(SVGElement.prototype, 'style');
const mathStyle = getter(MathMLElement.prototype, 'style');

/** @param {{target: Target, property: string, value: string, important: boolean}} argument */
export const restyle = ({ target, property, value, important }) =>
  withElement(target, (element) => {
    const name = knownProperty(property);
    if (value !== '' && !CSS.supports(name, value)) throw new Refusal('bad-property', { message: `\`${clip(name)}\` does not take \`${clip(value)}\`` });
    const style = inlineStyle(element);
    const had = hasAttribute(element, 'style');
    const before = whole(styleOf(element).getPropertyValue(name).trim());
    const restore = inlineLonghands(style, name, value === '' ? 'inherit' : value);
    if (value === '') style.removeProperty(name);
    else style.setProperty(name, value, important ? 'important' : '');
    return { property: name, restore, had_attribute: had, before, after: whole(styleOf(element).getPropertyValue(name).trim()) };
  });

/** @param {{target: Target, restore: [string, string, string][], property: string, bare: boolean}} argument */
export const unstyle = ({ target, restore, property, bare }) =>
  withElement(target, (element) => {
    const style = inlineStyle(element);
    for (const [name, value, priority] of restore) {
      if (value === '') style.removeProperty(name);
      else style.setProperty(name, value, priority);
    }
    if (bare && style.length === 0) Element.prototype.removeAttribute.call(element, 'style');
    return { after: whole(styleOf(element).getPropertyValue(property).trim()) };
  });

/** Who an element is, as an inspector shows it. */
export const introduce = ({ target }) =>
  withElement(target, (element) => {
    const [role, name] = labelOf(element);
    const id = attribute(element, 'id');
    const classes = tidy(attribute(element, 'class') || '');
    return { role, name, selector: whole(localName(element) + (id ? `#${id}` : '') + (classes ? `.${classes.replace(/ /g, '.')}` : '')) };
  });
