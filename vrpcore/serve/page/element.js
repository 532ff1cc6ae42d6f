/** Building parts of the page; text is only ever text, never markup. */

/**
 * One element.
 * @param {Object<string, unknown>} properties Properties, or attributes where the name has a dash or is `role`.
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role' || name === 'scope') made.setAttribute(name, String(value));
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

/**
 * A table with a head.
 * @param {HTMLTableElement} table Emptied first.
 * @param {string[]} titles Of columns; one of numbers begins with #.
 * @returns {HTMLTableSectionElement} Its empty body.
 */
export function startTable(table, caption, titles) {
  const heads = titles.map((title) => element('th', { scope: 'col', className: title.startsWith('#') ? 'number' : '' }, title.replace('#', '')));
  const body = element('tbody');
  table.replaceChildren(element('caption', { className: 'hidden' }, caption), element('thead', {}, element('tr', {}, ...heads)), body);
  return body;
}

/** A cell of a table. */
export function cell(content, number = false) {
  return element('td', { className: number ? 'number' : '' }, content);
}

/** The element with an id that stands in the page. */
export function byId(id) {
  return document.getElementById(id);
}

/** A small mark in a shape of the palette; its colour is that of the text, or the style sheet's. */
export function swatch(shape) {
  return element('span', { className: `swatch ${shape}`, 'aria-hidden': 'true' });
}
