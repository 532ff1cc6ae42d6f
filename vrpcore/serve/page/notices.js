/** Messages next to what they belong to. */

import { element } from './element.js';
import { amount, count } from './numbers.js';

const MAX_LISTED = 50;

/**
 * Shows one message in an area, instead of what stood there.
 * @param {{code?: string, list?: {name: string, code: string, error: string}[], tone?: string}} more
 * @returns {HTMLElement} The message's element.
 */
export function notify(area, text, { code = '', list = [], tone = 'error' } = {}) {
  const made = element('div', { className: `notice ${tone}` }, element('p', {}, text));
  if (code) made.firstChild.append(' ', element('code', {}, code));
  if (list.length) {
    const shown = list.slice(0, MAX_LISTED).map((item) =>
      element('li', {}, element('strong', {}, item.name), ' ', element('code', {}, item.code ?? ''), element('br'), item.error ?? ''));
    const rest = list.length - MAX_LISTED;
    if (rest > 0) shown.push(element('li', {}, `and ${amount(rest)} more`));
    made.append(element('ul', {}, ...shown));
  }
  area.replaceChildren(made);
  return made;
}

/** Removes all messages of some areas. */
export function clearNotices(...areas) {
  for (const area of areas) area.replaceChildren();
}

/**
 * Says when to try again, second by second, and offers it then.
 * @param {number|null} wait Seconds; null: unknown.
 */
export function notifyBusy(area, text, wait, again) {
  const when = wait === null ? 'Try again in a moment.' : `Try again in ${count(wait, 'second')}.`;
  const made = notify(area, `${text} ${when}`, { tone: 'warning' });
  const button = element('button', { type: 'button', disabled: wait !== null, onclick: again }, 'Try again');
  made.append(button);
  if (wait === null) return;
  const end = performance.now() + 1000 * wait;
  const tick = () => {
    if (!made.isConnected) return;
    const left = Math.ceil((end - performance.now()) / 1000);
    button.disabled = left > 0;
    button.textContent = left > 0 ? `Try again (${left} s)` : 'Try again';
    if (left > 0) setTimeout(tick, 250);
  };
  tick();
}
