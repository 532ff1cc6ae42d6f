/** Who is not served, and why. */

import { byId, cell, element, startTable } from './element.js';
import { count } from './numbers.js';

const MAX_ROWS = 1000;
const WORDS = {
  SKILLS: 'no vehicle has the skills',
  CAPACITY: 'too much for every vehicle',
  WINDOW: 'too late for every vehicle, even alone',
  DURATION: 'takes too long, even alone',
  DISTANCE: 'too far, even alone',
  FLEET: 'too few vehicles, or too little time',
  PRIZE: 'optional: leaving it out is cheaper',
};

/**
 * Lists them; hides the list where there are none.
 * @param {{id: string|number, reason: string, detail: string}[]} unserved
 */
export function showUnserved(unserved) {
  byId('unserved').hidden = !unserved.length;
  const body = startTable(byId('unserved-table'), 'Who is not served', [
    { title: 'Customer' }, { title: 'Reason' }, { title: 'Detail' },
  ]);
  body.append(...unserved.slice(0, MAX_ROWS).map(({ id, reason, detail }) => {
    const code = String(reason ?? '');
    return element('tr', {}, element('th', { scope: 'row' }, String(id)),
      element('td', {}, WORDS[code] ? `${WORDS[code]} ` : '', element('code', {}, code)), cell(String(detail ?? '')));
  }));
  const rest = unserved.length - MAX_ROWS;
  byId('unserved-note').textContent = rest > 0 ? `and ${count(rest, 'more')}; the JSON has all`.replace('mores', 'more') : '';
}
