/** Talking to the server. */

import { isBook } from './sheet.js';

const ROOT = new URL('../', import.meta.url);
/** What is said where there is nothing to solve. */
export const NONE_VALID = 'None of the instances is valid.';
const HEAD_CHARACTERS = 4096; // of a CSV file, with the names of its columns
const LONG = /[^\d.]\d{16}/; // there may be an integer beyond 2^53
const INTEGER = /^-?\d+$/;
const UNREADABLE = 'The server’s answer cannot be read.';

/** An answer that is none; `kind` says where the page shows it. */
export class ServerError extends Error {
  /**
   * @param {'network'|'key'|'busy'|'input'|'instances'|'option'|'server'} kind
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
 * @param {{key: string, signal: AbortSignal}} who
 * @returns {Promise<{document: object, inKind: {name: string, type: string, text: string}|null, views: object[]}>}
 *   A `vrp-solutions/1` document, the answer in the form of what was asked, and of each its timeline and texts.
 */
export async function solve(body, query, who) {
  const { solutions, in_kind: inKind, views } = await post('v1/solve', { ...query, both: 'true' }, body, who);
  if (!Array.isArray(solutions?.solutions)) throw new ServerError('server', UNREADABLE);
  return { document: solutions, inKind: inKind ?? null, views };
}

/**
 * Has one body read.
 * @param {string} body Of any format.
 * @returns {Promise<object[]>} The items of the answer.
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
 */
export async function tablesOf(text, key) {
  const body = isBook(text) ? Uint8Array.from(atob(text), (each) => each.charCodeAt(0)) : text.slice(0, HEAD_CHARACTERS);
  return (await post('v1/tables', {}, body, { key })).tables ?? [];
}

async function post(path, query, body, { key, signal }) {
  const type = /^\s*[[{]/.test(body) ? 'application/json' : 'text/plain;charset=utf-8';
  const options = { method: 'POST', body, signal, headers: { 'Content-Type': type } };
  return parsed(await request(`${path}?${new URLSearchParams(query)}`, key, options)) ?? {};
}

/** The text of a file of the page's, such as an example. */
export function fetchText(name, key) {
  return request(`page/${name}`, key);
}

/** Where tiles of a street map come from. @returns {Promise<{tiles: string|null, attribution: string}>} */
export async function fetchStreets(key) {
  return parsed(await fetchText('streets.json', key)) ?? { tiles: null };
}

/** The text of an answer. */
async function request(path, key, { headers, ...options } = {}) {
  try {
    const own = { ...headers, ...(key ? { 'X-API-Key': key } : {}) };
    const response = await fetch(new URL(path, ROOT), { ...options, headers: own, credentials: 'same-origin', cache: 'no-cache' });
    const text = await response.text();
    if (response.ok) return text;
    throw refusal(response, parsed(text), Boolean(key));
  } catch (error) {
    if (error instanceof ServerError || error.name === 'AbortError') throw error;
    throw new ServerError('network', 'The server cannot be reached. Check that it is running, then try again.');
  }
}

/** Parses JSON, null where it is none; ids beyond 2^53, which numbers here do not hold, are texts with all their digits. */
function parsed(text) {
  function exact(key, value, context) {
    const isLong = typeof value === 'number' && !Number.isSafeInteger(value) && (key === 'id' || Array.isArray(this));
    return isLong && INTEGER.test(context?.source) ? context.source : value; // older browsers do not tell it
  }
  try {
    return LONG.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
  } catch {
    return null;
  }
}

function refusal({ status, headers }, body, hadKey) {
  const [said, code] = ['message', 'code'].map((name) => String(body?.error?.[name] ?? ''));
  const make = (kind, message, more) => new ServerError(kind, message, { code, ...more });
  if (status === 401) return make('key', hadKey ? 'This API key is not accepted.' : 'This server asks for an API key.');
  if (status === 429 || (status === 503 && code === 'NOT_READY')) {
    return make('busy', `The server is ${status === 429 ? 'busy' : 'not ready'}.`, { retryAfter: waitOf(headers.get('Retry-After')) });
  }
  if ((status === 403 || status === 503) && said) return make('server', sentence(said));
  if (status === 413) return make('input', sentence(said || 'more than the server takes at once'));
  if (status === 422) {
    const answer = Array.isArray(body?.answer?.solutions) ? body.answer : null;
    return make('instances', answer ? NONE_VALID : sentence(said), { answer, items: body?.items });
  }
  if (status === 400) return make('option', sentence(said || 'an option is not accepted'));
  return make('server', `The server answered ${status}${said ? `: ${said}` : ''}.`);
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
