/** The two tabs of the input: files, and a text. */

import { byId } from './element.js';

const PANELS = { files: 'by-file', text: 'by-text' };
const NAMES = Object.keys(PANELS);

/** Tabs with one in sight; the arrow keys lead from one to the other. */
export class Tabs {
  constructor() {
    for (const name of NAMES) {
      const tab = byId(`tab-${name}`);
      tab.addEventListener('click', () => this.show(name));
      tab.addEventListener('keydown', (event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        event.preventDefault();
        const other = NAMES.find((each) => each !== name);
        this.show(other);
        byId(`tab-${other}`).focus();
      });
    }
  }

  /** Shows one. @param {'files'|'text'} wanted */
  show(wanted) {
    for (const name of NAMES) {
      const tab = byId(`tab-${name}`);
      tab.setAttribute('aria-selected', String(name === wanted));
      tab.tabIndex = name === wanted ? 0 : -1;
      byId(PANELS[name]).hidden = name !== wanted;
    }
  }

  /** The field or button where input begins. */
  get first() {
    return byId(PANELS.text).hidden ? byId('choose') : byId('text');
  }
}
