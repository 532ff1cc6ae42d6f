/** Talking to the server. */

const ROOT = new URL('../', import.meta.url);

/** An answer that is none; `kind` says where the page shows it. */
export class ServerError extends Error {
  /**
   * @param {'network'|'key'|'busy'|'size'|'instances'|'option'|'server'} kind
   * @param {string} message
   * @param {{code?: string, retryAfter?: number, answer?: object}} more
   */
  constructor(kind, message, more = {}) {
    super(message);
    Object.assign(this, { kind, code: '', retryAfter: null, answer: null, ...more });
  }
}

/**
 * Solves one body.
 * @param {string} body Instances, as they were written.
 * @param {{improve: string, timeLimit: string, key: string, signal: AbortSignal}} options
 * @returns {Promise<{text: string, document: object}>} A `vrp-solutions/1` document.
 * @throws {ServerError}
 */
export async function solve(body, { improve, timeLimit, key, signal }) {
  const url = new URL('v1/solve', ROOT);
  url.searchParams.set('improve', improve);
  if (timeLimit) url.searchParams.set('time_limit', timeLimit);
  const type = /^\s*[[{]/.test(body) ? 'application/json' : 'text/plain;charset=utf-8';
  const response = await request(url, { method: 'POST', body, signal, headers: { 'Content-Type': type } }, key);
  const text = await read(response, 'text');
  const document = parsed(text);
  if (!Array.isArray(document?.solutions)) throw new ServerError('server', 'The server’s answer cannot be read.');
  return { text, document };
}

/** An exported model's file, for solving here: `model`, or `variants` for instances with constraints. */
export async function fetchModel(name, { key, signal }) {
  return read(await request(new URL(`${name}.onnx`, ROOT), { signal }, key), 'arrayBuffer');
}

/** The example's text. */
export async function fetchExample(key) {
  return read(await request(new URL('page/example.json', ROOT), {}, key), 'text');
}

async function request(url, options, key) {
  const headers = { ...options.headers };
  if (key) headers['X-API-Key'] = key;
  let response;
  try {
    response = await fetch(url, { ...options, headers, credentials: 'same-origin', cache: 'no-cache' });
  } catch (error) {
    throw lost(error);
  }
  if (!response.ok) throw refusal(response, parsed(await read(response, 'text')), Boolean(key));
  return response;
}

async function read(response, form) {
  try {
    return await response[form]();
  } catch (error) {
    throw lost(error);
  }
}

function lost(error) {
  if (error.name === 'AbortError') return error;
  return new ServerError('network', 'The server cannot be reached. Check that it is running, then try again.');
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refusal(response, body, hadKey) {
  const { status } = response;
  const said = typeof body?.error?.message === 'string' ? body.error.message : '';
  const code = typeof body?.error?.code === 'string' ? body.error.code : '';
  if (status === 401 || status === 403) {
    const message = hadKey ? 'This API key is not accepted.' : 'This server asks for an API key.';
    return new ServerError('key', message, { code });
  }
  if (status === 429 || status === 503) {
    const message = status === 429 ? 'The server is busy.' : 'The server is not ready.';
    return new ServerError('busy', message, { code, retryAfter: waitOf(response.headers.get('Retry-After')) });
  }
  if (status === 413) return new ServerError('size', sentence(said || 'more than the server takes at once'), { code });
  if (status === 422) {
    const answer = Array.isArray(body?.answer?.solutions) ? body.answer : null;
    return new ServerError('instances', answer ? 'None of the instances is valid.' : sentence(said), { code, answer });
  }
  if (status === 400) return new ServerError('option', sentence(said || 'an option is not accepted'), { code });
  if (status === 404 && code === 'NO_MODEL') {
    return new ServerError('server', 'This server offers no model to run here. Use Solve.', { code });
  }
  return new ServerError('server', `The server answered ${status}${said ? `: ${said}` : ''}.`, { code });
}

/** Seconds of a `Retry-After`, which is a number or a date; null where there is none. */
function waitOf(header) {
  if (!header) return null;
  const wait = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(wait) ? Math.max(1, Math.ceil(wait)) : null;
}

function sentence(text) {
  const shown = text || 'The server does not accept this.';
  return shown[0].toUpperCase() + shown.slice(1) + (/[.!?]$/.test(shown) ? '' : '.');
}
