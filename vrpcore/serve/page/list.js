/** The list of instances, to pick the one that is shown. */

import { byId, element } from './element.js';
import { amount, cost as shownCost, count } from './numbers.js';

const MAX_SHOWN = 2000;
const PAGE_ROWS = 10;

/**
 * @typedef {{name: string, word: string, good: boolean, cost: number|null, routes: number}} Entry
 *   `word` is the status, or the size where nothing is solved yet.
 */

/** A list box: arrow keys, Home, End, Page Up and Page Down; a field to find some. */
export class InstanceList {
  /** @param {(index: number) => void} onPick */
  constructor(onPick) {
    this.box = byId('options');
    this.find = byId('find');
    Object.assign(this, { onPick, entries: [], picked: 0 });
    this.find.addEventListener('input', () => this.#fill());
    this.box.addEventListener('click', (event) => {
      const option = event.target.closest('[role=option]');
      if (option) this.#pick(Number(option.dataset.index));
    });
    this.box.addEventListener('keydown', (event) => this.#key(event));
  }

  /** Other entries, or the same with other values; hidden where there is only one. */
  show(entries, picked) {
    if (entries.length !== this.entries.length) this.find.value = '';
    this.entries = entries;
    this.picked = picked;
    byId('list').hidden = entries.length < 2;
    this.find.hidden = entries.length < 12;
    byId('list-title').textContent = count(entries.length, 'instance');
    this.#fill();
  }

  #fill() {
    const wanted = this.find.value.trim().toLowerCase();
    const found = [...this.entries.keys()].filter((index) => {
      const { name, word } = this.entries[index];
      return name.toLowerCase().includes(wanted) || word.includes(wanted);
    });
    this.indices = found.slice(0, MAX_SHOWN);
    this.box.replaceChildren(...this.indices.map((index) => this.#option(index)));
    const hidden = found.length - this.indices.length;
    byId('list-note').textContent = hidden > 0 ? `${amount(hidden)} more; find them by name.` : wanted ? `${found.length} found` : '';
    this.#mark(false);
  }

  #option(index) {
    const { name, word, good, cost, routes } = this.entries[index];
    const parts = [[good ? 'state' : 'state bad', word], ...(cost === null ? [] : [['cost', shownCost(cost)], ['number-of', count(routes, 'route')]])];
    return element('li', { role: 'option', id: `option-${index}`, 'aria-selected': 'false', 'data-index': index },
      element('span', { className: 'name', title: name }, name),
      ...parts.flatMap(([className, text]) => [element('span', { className: 'hidden' }, ', '), element('span', { className }, text)]));
  }

  #pick(index) {
    this.picked = index;
    this.#mark(true);
    this.onPick(index);
  }

  #mark(scroll) {
    this.box.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false');
    const option = byId(`option-${this.picked}`);
    option?.setAttribute('aria-selected', 'true');
    this.box.setAttribute('aria-activedescendant', option?.id ?? '');
    if (scroll) option?.scrollIntoView({ block: 'nearest' });
  }

  #key(event) {
    const last = this.indices.length - 1;
    const at = this.indices.indexOf(this.picked);
    const to = {
      ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last, PageDown: at + PAGE_ROWS, PageUp: at - PAGE_ROWS,
    }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.#pick(this.indices[Math.min(last, Math.max(0, to))]);
  }
}
