/** An earlier plan to start from, and what of it stays. */

import { byId } from './element.js';
import { notify } from './notices.js';

/** The fields of an earlier plan. */
export class Plan {
  /** @param {(file: File) => Promise<{name: string, text: string}>} read */
  constructor(read, onChange) {
    this.text = '';
    for (const id of ['freeze', 'keep']) byId(id).addEventListener('input', onChange);
    byId('choose-plan').addEventListener('click', () => byId('plan-file').click());
    byId('no-plan').addEventListener('click', () => {
      this.#take('', '');
      onChange();
      byId('choose-plan').focus();
    });
    byId('plan-file').addEventListener('change', async ({ target }) => {
      const [file] = target.files;
      target.value = '';
      try {
        const { name, text } = await read(file);
        this.#take(text, name);
        onChange();
      } catch (error) {
        notify(byId('plan-notice'), `The plan cannot be read: ${error.message}`);
      }
    });
  }

  /** What the server is asked in addition. */
  get query() {
    const given = { freeze: byId('freeze').value.trim(), keep_cost: byId('keep').value.trim() };
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  }

  /** A body with the plan, as the server takes it; the same without one. */
  with(body) {
    return this.text ? `{"instances": ${asValue(body)}, "warm_start": ${asValue(this.text)}}` : body;
  }

  #take(text, name) {
    this.text = text;
    byId('plan-name').textContent = name || 'none';
    byId('no-plan').hidden = !text;
  }
}

/** A text as a value of JSON: itself where it is one, else as the text of a file. */
function asValue(text) {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}
