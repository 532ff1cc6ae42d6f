/** Talking to the server. */

import { parseJson } from './json.js';
import { isBook } from './sheet.js';

const ROOT = new URL('../', import.meta.url);
/** What is said where there is nothing to solve. */
export const NONE_VALID = 'None of the instances is valid.';
const HEAD_CHARACTERS = 4096; // of a CSV file, with the names of its columns
const UNREADABLE = 'The server’s answer cannot be read.';

/** An answer that is none; `kind` says where the page shows it. */
export class ServerError extends Error {
  /**
   * @param {'network'|'key'|'busy'|'size'|'instances'|'option'|'server'} kind
   * @param {string} message
   * @param {{code?: string, retryAfter?: number, answer?: object, items?: object[]}} more
   */
  constructor(kind, message, more = {}) {
    super(message);
    Object.assign(this, { kind, code: '', retryAfter: null, answer: null, items: null, ...more });
  }
}

/**
 * Solves one body.
 * @param {string} body Instances, as they were written.
 * @param {{improve: string, timeLimit: string, more: object, key: string, signal: AbortSignal}} options
 *   `more` of the query.
 * @returns {Promise<{document: object, inKind: {name: string, type: string, text: string}|null, views: object[]}>}
 *   A `vrp-solutions/1` document, the answer in the form of what was asked, and of each its timeline and texts.
 * @throws {ServerError}
 */
export async function solve(body, { improve, timeLimit, more, key, signal }) {
  const query = { improve, both: 'true', ...(timeLimit ? { time_limit: timeLimit } : {}), ...more };
  const { solutions, in_kind: inKind, views } = await post('v1/solve', query, body, { key, signal });
  if (!Array.isArray(solutions?.solutions)) throw new ServerError('server', UNREADABLE);
  return { document: solutions, inKind: inKind ?? null, views };
}

/**
 * Has one body read.
 * @param {string} body Of any format.
 * @returns {Promise<object[]>} The items of the answer.
 * @throws {ServerError}
 */
export async function readThere(body, { key, signal }) {
  let items;
  try {
    ({ items } = await post('v1/instances', {}, body, { key, signal }));
  } catch (error) {
    if (!error.items) throw error;
    ({ items } = error); // none of them is valid
  }
  if (!Array.isArray(items)) throw new ServerError('server', UNREADABLE);
  return items;
}

/**
 * What the sheets of a spreadsheet list, by the columns that the server knows.
 * @param {string} text A CSV file, or a workbook in base64.
 * @returns {Promise<('stops'|'fleet')[]>}
 * @throws {ServerError}
 */
export async function tablesOf(text, key) {
  const body = isBook(text) ? Uint8Array.from(atob(text), (each) => each.charCodeAt(0)) : text.slice(0, HEAD_CHARACTERS);
  return (await post('v1/tables', {}, body, { key })).tables ?? [];
}

async function post(path, query, body, { key, signal }) {
  const url = new URL(path, ROOT);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const type = /^\s*[[{]/.test(body) ? 'application/json' : 'text/plain;charset=utf-8';
  const response = await request(url, { method: 'POST', body, signal, headers: { 'Content-Type': type } }, key);
  return parsed(await read(response, 'text')) ?? {};
}

/** Where tiles of a street map come from. @returns {Promise<{tiles: string|null, attribution: string}>} */
export async function fetchStreets(key) {
  return parsed(await read(await request(new URL('page/streets.json', ROOT), {}, key), 'text')) ?? { tiles: null };
}

/** The text of an example: `example.json`, `stops.csv` or `vans.csv`. */
export async function fetchExample(name, key) {
  return read(await request(new URL(`page/${name}`, ROOT), {}, key), 'text');
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
    return parseJson(text, true);
  } catch {
    return null;
  }
}

function refusal(response, body, hadKey) {
  const { status } = response;
  const said = typeof body?.error?.message === 'string' ? body.error.message : '';
  const code = typeof body?.error?.code === 'string' ? body.error.code : '';
  if (status === 401) {
    const message = hadKey ? 'This API key is not accepted.' : 'This server asks for an API key.';
    return new ServerError('key', message, { code });
  }
  if (status === 429 || (status === 503 && code === 'NOT_READY')) {
    const message = status === 429 ? 'The server is busy.' : 'The server is not ready.';
    return new ServerError('busy', message, { code, retryAfter: waitOf(response.headers.get('Retry-After')) });
  }
  if ((status === 403 || status === 503) && said) return new ServerError('server', sentence(said), { code });
  if (status === 413) return new ServerError('size', sentence(said || 'more than the server takes at once'), { code });
  if (status === 422) {
    const answer = Array.isArray(body?.answer?.solutions) ? body.answer : null;
    const items = Array.isArray(body?.items) ? body.items : null;
    return new ServerError('instances', answer ? NONE_VALID : sentence(said), { code, answer, items });
  }
  if (status === 400) return new ServerError('option', sentence(said || 'an option is not accepted'), { code });
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
