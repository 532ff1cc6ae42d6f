/** Where instances come from: the text field, or files that were dropped or chosen. */

import { byId, element } from './element.js';
import { readInstances } from './instances.js';
import { bytes, count } from './numbers.js';

const MAX_EDITED = 200_000;
const TYPING_MS = 250;

/**
 * @typedef {Object} Source
 * @property {string} name Of the file, or empty.
 * @property {string} body As it was written.
 * @property {import('./instances.js').Item[]} items As far as this page can read them.
 * @property {string} error Why it cannot.
 */

/** The input; small files go into the text field, where they can be changed. */
export class Sources {
  /**
   * @param {(replaced: boolean) => void} onChange `replaced`: other instances, not an edit.
   * @param {(message: string) => void} onError
   */
  constructor(onChange, onError) {
    Object.assign(this, { onChange, onError, files: [], typed: null, timer: 0, stem: '' });
    this.text = byId('text');
    this.text.addEventListener('input', () => this.#typing());
    byId('choose').addEventListener('click', () => byId('file').click());
    byId('file').addEventListener('change', (event) => {
      this.take([...event.target.files]);
      event.target.value = '';
    });
    byId('clear').addEventListener('click', () => {
      this.write('');
      this.text.focus();
    });
    this.#listenToDrops();
    this.#show();
  }

  /** The sources as they stand now. @returns {Source[]} */
  get all() {
    if (this.files.length) return this.files;
    if (!this.text.value.trim()) return [];
    if (this.typed?.body !== this.text.value) this.typed = source(this.stem, this.text.value);
    return [this.typed];
  }

  /** Puts a text into the field, instead of whatever there was. */
  write(text, stem = '') {
    clearTimeout(this.timer);
    this.files = [];
    this.stem = stem;
    this.text.value = text;
    this.#show();
    this.onChange(true);
  }

  /** Takes files, instead of whatever there was. @param {File[]} files */
  async take(files) {
    if (!files.length) return;
    try {
      const read = await Promise.all(files.map(readFile));
      if (read.length === 1 && read[0].body.length <= MAX_EDITED) {
        this.write(read[0].body, read[0].name);
        return;
      }
      this.files = read.map(({ name, body }) => source(name, body));
    } catch (error) {
      this.onError(`A file cannot be read: ${error.message}`);
      return;
    }
    this.text.value = '';
    this.#show();
    this.onChange(true);
  }

  #typing() {
    clearTimeout(this.timer);
    this.stem = '';
    byId('clear').hidden = !this.text.value;
    this.timer = setTimeout(() => {
      this.#show();
      this.onChange(false);
    }, TYPING_MS);
  }

  #show() {
    const { files } = this;
    byId('files').hidden = !files.length;
    this.text.hidden = Boolean(files.length);
    byId('text-label').hidden = Boolean(files.length);
    byId('clear').hidden = !files.length && !this.text.value;
    byId('files').replaceChildren(...files.map((file, index) => this.#fileRow(file, index)));
    byId('input-note').textContent = described(this.all);
  }

  #fileRow(file, index) {
    const button = element('button', { type: 'button', 'aria-label': `Remove ${file.name}` }, 'Remove');
    button.addEventListener('click', () => {
      this.files = this.files.filter((_, other) => other !== index);
      this.#show();
      this.onChange(true);
      (byId('files').querySelector('button') ?? this.text).focus();
    });
    return element('li', {}, element('span', { className: 'name' }, file.name),
      element('span', { className: 'quiet' }, bytes(file.body.length)), button);
  }

  #listenToDrops() {
    const form = byId('input');
    let depth = 0;
    const mark = (change) => {
      depth = Math.max(0, depth + change);
      form.classList.toggle('dropping', depth > 0);
    };
    const hasFiles = (event) => event.dataTransfer?.types.includes('Files');
    document.addEventListener('dragenter', (event) => { if (hasFiles(event)) mark(1); });
    document.addEventListener('dragleave', (event) => { if (hasFiles(event)) mark(-1); });
    document.addEventListener('dragover', (event) => { if (hasFiles(event)) event.preventDefault(); });
    document.addEventListener('drop', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      mark(-depth);
      this.take([...event.dataTransfer.files]);
    });
  }
}

function source(name, body) {
  return { name, body, ...readInstances(body, name.replace(/\.[^.]*$/, '')) };
}

/** A file's text; a packed one is unpacked, told by its first bytes. */
async function readFile(file) {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (head[0] !== 0x1f || head[1] !== 0x8b) return { name: file.name, body: await file.text() };
  const unpacked = file.stream().pipeThrough(new DecompressionStream('gzip'));
  return { name: file.name.replace(/\.gz$/i, ''), body: await new Response(unpacked).text() };
}

/** What the page has understood of the sources, in words. */
function described(sources) {
  const items = sources.flatMap((one) => one.items);
  const unread = sources.find((one) => one.error);
  if (unread) return `${unread.name ? `${unread.name}: ` : ''}${unread.error}`.slice(0, 300);
  if (!items.length) return '';
  const sizes = items.filter(({ problem }) => problem).map(({ problem }) => problem.ids.length);
  const bad = items.length - sizes.length;
  const low = sizes.reduce((a, b) => Math.min(a, b), Infinity);
  const high = sizes.reduce((a, b) => Math.max(a, b), 0);
  const told = sizes.length ? `, ${low === high ? '' : `${low} to `}${count(high, 'customer')}${low === high && sizes.length > 1 ? ' each' : ''}` : '';
  const parts = [`${count(items.length, 'instance')}${told}`];
  if (bad) parts.push(items.length === 1 ? items[0].error : `${bad} not understood here`);
  return parts.join(' · ').slice(0, 300);
}
