/** What went wrong, shown where it can be mended. */

import { byId } from './element.js';
import { notify, notifyBusy } from './notices.js';

/**
 * Shows a failure.
 * @param {Error} error Most often a `ServerError`.
 * @param {() => void} again What to do once more.
 */
export function showFailure(error, again) {
  const { kind, message, code } = error;
  if (kind === 'key') askForKey(message);
  else if (kind === 'busy') notifyBusy(byId('run-notice'), message, error.retryAfter, again);
  else if (kind === 'instances') refuseInput(error);
  else notify(byId(kind === 'input' || kind === 'option' ? `${kind}-notice` : 'run-notice'), message || String(error), { code });
}

function askForKey(message) {
  byId('key-field').hidden = false;
  notify(byId('key-notice'), message);
  byId('key').select();
  byId('key').focus();
}

function refuseInput({ message, code, answer }) {
  notify(byId('input-notice'), message, { code: answer ? '' : code, list: answer?.solutions ?? [] });
  byId('text').setAttribute('aria-invalid', 'true');
  byId('text').addEventListener('input', (event) => event.target.removeAttribute('aria-invalid'), { once: true });
}
