/** What went wrong, shown where it can be mended. */

import { ServerError } from './api.js';
import { byId } from './element.js';
import { notify, notifyBusy } from './notices.js';

/**
 * Shows a failure of a request.
 * @param {Error} error
 * @param {() => void} again What to do once more.
 */
export function showFailure(error, again) {
  if (!(error instanceof ServerError)) {
    notify(byId('run-notice'), error.message || String(error));
    return;
  }
  const { kind, message, code } = error;
  if (kind === 'key') askForKey(message);
  else if (kind === 'busy') notifyBusy(byId('run-notice'), message, error.retryAfter, again);
  else if (kind === 'size') notify(byId('input-notice'), message, { code });
  else if (kind === 'option') notify(byId('option-notice'), message, { code });
  else if (kind === 'instances') refuseInput(error);
  else notify(byId('run-notice'), message, { code });
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
