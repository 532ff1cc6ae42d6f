/** The two tabs of the input: files, and a text. */

import { byId } from './element.js';

const NAMES = ['files', 'text'];

/** Tabs with one in sight; the arrow keys lead from one to the other. */
export class Tabs {
  constructor() {
    NAMES.forEach((name, index) => {
      const other = NAMES[1 - index];
      byId(`tab-${name}`).addEventListener('click', () => this.show(name));
      byId(`tab-${name}`).addEventListener('keydown', (event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        event.preventDefault();
        this.show(other);
        byId(`tab-${other}`).focus();
      });
    });
  }

  /** Shows one. @param {'files'|'text'} wanted */
  show(wanted) {
    for (const tab of NAMES.map((name) => byId(`tab-${name}`))) {
      const own = tab.id === `tab-${wanted}`;
      tab.setAttribute('aria-selected', String(own));
      tab.tabIndex = own ? 0 : -1;
      byId(tab.getAttribute('aria-controls')).hidden = !own;
    }
  }

  /** The field or button where input begins. */
  get first() {
    return byId('by-text').hidden ? byId('choose') : byId('text');
  }
}
