/** The list of instances, to pick the one that is shown. */

import { byId, element } from './element.js';
import { cost as shownCost, count } from './numbers.js';

const MAX_SHOWN = 2000;
const PAGE_ROWS = 10;

/**
 * @typedef {Object} Entry
 * @property {string} name
 * @property {string} word The status in words, or the size where nothing is solved yet.
 * @property {boolean} good
 * @property {number|null} cost
 * @property {number|null} routes
 */

/** A list box: arrow keys, Home, End, Page Up and Page Down; a field to find some. */
export class InstanceList {
  /** @param {(index: number) => void} onPick */
  constructor(onPick) {
    this.box = byId('options');
    this.find = byId('find');
    this.onPick = onPick;
    this.entries = [];
    this.picked = 0;
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
    const found = [];
    this.entries.forEach(({ name, word }, index) => {
      if (!wanted || name.toLowerCase().includes(wanted) || word.includes(wanted)) found.push(index);
    });
    this.indices = found.slice(0, MAX_SHOWN);
    this.box.replaceChildren(...this.indices.map((index) => this.#option(index)));
    const hidden = found.length - this.indices.length;
    byId('list-note').textContent = hidden > 0 ? `${count(hidden, 'more')}; find them by name.`.replace('mores', 'more')
      : wanted ? `${found.length} found` : '';
    this.#mark(false);
  }

  #option(index) {
    const { name, word, good, cost, routes } = this.entries[index];
    const made = element('li', { role: 'option', id: `option-${index}`, 'aria-selected': 'false' },
      element('span', { className: 'name', title: name }, name),
      element('span', { className: 'hidden' }, ', '),
      element('span', { className: good ? 'state' : 'state bad' }, word));
    if (cost !== null) {
      made.append(element('span', { className: 'hidden' }, ', '), element('span', { className: 'cost' }, shownCost(cost)),
        element('span', { className: 'hidden' }, ', '), element('span', { className: 'number-of' }, count(routes, 'route')));
    }
    made.dataset.index = index;
    return made;
  }

  #pick(index) {
    this.picked = index;
    this.#mark(true);
    this.onPick(index);
  }

  #mark(scroll) {
    this.box.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false');
    const option = byId(`option-${this.picked}`);
    if (!option) {
      this.box.removeAttribute('aria-activedescendant');
      return;
    }
    option.setAttribute('aria-selected', 'true');
    this.box.setAttribute('aria-activedescendant', option.id);
    if (scroll) option.scrollIntoView({ block: 'nearest' });
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
