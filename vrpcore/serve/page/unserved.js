/** Who is not served, and why. */

import { byId, cell, element, startTable } from './element.js';
import { count } from './numbers.js';

const MAX_ROWS = 1000;
const WORDS = {
  SKILLS: 'no vehicle has the skills',
  RELATION: 'no vehicle that has the skills may serve it',
  CAPACITY: 'too much for every vehicle',
  NO_ROAD: 'no road leads there, or back',
  WINDOW: 'too late for every vehicle, even by itself',
  DURATION: 'takes too long, even by itself',
  DISTANCE: 'too far, even by itself',
  LOADED: 'on board elsewhere, or not loaded in time',
  FLEET: 'too few vehicles, or too little time',
  PRIZE: 'optional: leaving it out is cheaper',
};

/** A table; pointing at a row points at its stop on the map. */
export class UnservedTable {
  /** @param {(route: number, node: number, pin: boolean) => void} onPoint */
  constructor(onPoint) {
    this.table = byId('unserved-table');
    const meant = (event, pin) => onPoint(-1, Number(event.target.closest('tr')?.dataset.node ?? 0), pin);
    this.table.addEventListener('mouseover', (event) => meant(event, false));
    this.table.addEventListener('mouseleave', () => onPoint(-1, 0, false));
    this.table.addEventListener('click', (event) => meant(event, true));
  }

  /**
   * Lists them; hides the list where there are none.
   * @param {{id: string|number, reason: string, detail: string}[]} unserved
   * @param {import('./scene.js').Scene|null} scene
   */
  show(unserved, scene) {
    byId('unserved').hidden = !unserved.length;
    const body = startTable(this.table, 'Stops that are not served', [
      { title: 'Customer' }, { title: 'Reason' }, { title: 'Detail' },
    ]);
    this.rows = unserved.slice(0, MAX_ROWS).map((item) => rowOf(item, scene));
    body.append(...this.rows);
    const rest = unserved.length - MAX_ROWS;
    byId('unserved-note').textContent = rest > 0 ? `and ${count(rest, 'more')}; the JSON has all`.replace('mores', 'more') : '';
  }

  /** Marks the row of the pointed customer; 0: none. */
  mark(node) {
    for (const row of this.rows) row.classList.toggle('pointed', Boolean(node) && row.dataset.node === String(node));
  }
}

function rowOf({ id, reason, detail }, scene) {
  const code = String(reason ?? '');
  const row = element('tr', {}, element('th', { scope: 'row' }, scene?.inWords(id) ?? String(id)),
    element('td', {}, WORDS[code] ? `${WORDS[code]} ` : '', element('code', {}, code)), cell(String(detail ?? '')));
  const node = scene?.nodeOf(id) ?? 0;
  if (node) row.dataset.node = node;
  return row;
}
