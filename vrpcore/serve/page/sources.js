/** Where instances come from: the text field, or files that were dropped or chosen. */

import { ServerError, readThere, tablesOf } from './api.js';
import { byId, element } from './element.js';
import { showFailure } from './failures.js';
import { previewItems, sketchOf } from './instances.js';
import { bytes, count } from './numbers.js';
import { SheetFields, askedBy, isBook, isSheet } from './sheet.js';
import { Tabs } from './tabs.js';

const MAX_EDITED = 200_000;
const TYPING_MS = 250;
const MAX_NOTE = 300;
const MAX_NOTES = 10;

/**
 * @typedef {Object} Source
 * @property {string} name Of the file, or empty.
 * @property {string} text As it was written.
 * @property {string} body What the server gets: of a spreadsheet, all that goes with it.
 * @property {import('./instances.js').Item[]|null} items null: not read yet.
 * @property {Error|null} failure What went wrong when the server was asked to read it.
 * @property {boolean} sheet It looks like a CSV file of stops.
 */

/** The input; small files go into the text field, where they can be changed. */
export class Sources {
  /**
   * @param {(replaced: boolean) => void} onChange `replaced`: other instances, not an edit.
   * @param {() => string} keyOf The API key, for what the server reads.
   */
  constructor(onChange, keyOf) {
    Object.assign(this, { onChange, keyOf, files: [], timer: 0, stem: '', known: [], takes: 0 });
    this.text = byId('text');
    this.tabs = new Tabs();
    this.text.addEventListener('input', () => this.#typing());
    this.sheet = new SheetFields(() => this.#typing());
    byId('choose').addEventListener('click', () => byId('file').click());
    byId('file').addEventListener('change', (event) => {
      this.take([...event.target.files]);
      event.target.value = '';
    });
    byId('clear').addEventListener('click', () => {
      this.sheet.clear();
      this.write('');
      this.tabs.first.focus();
    });
    this.#listenToDrops();
    this.#show();
  }

  /** The sources as they stand now. @returns {Source[]} */
  get all() {
    const wanted = this.#given.filter(({ text }) => text.trim());
    this.known = wanted.map(({ name, text }, index) => this.#source(name, text, this.known[index]));
    return this.known;
  }

  get #given() {
    return this.files.length ? this.files : [{ name: this.stem, text: this.text.value }];
  }

  /** Has everything read, also what failed before. @returns {Promise<Source[]>} @throws {Error} */
  async read() {
    const { all } = this;
    await Promise.all(all.map((source) => this.#readThere(source)));
    const failed = all.find(({ failure }) => failure);
    if (failed) throw failed.failure;
    return all;
  }

  /** Puts a text into the field, instead of whatever there was. */
  write(text, name = '') {
    this.takes += 1;
    this.#put([], text, name);
  }

  #put(files, text, stem) {
    clearTimeout(this.timer);
    Object.assign(this, { files, stem });
    this.text.value = text;
    this.#changed(true);
  }

  /** Both spreadsheets of an example. */
  writeSheets(stops, fleet) {
    this.sheet.clear();
    this.sheet.write(fleet);
    this.write(stops, 'stops.csv');
  }

  /**
   * Takes files, instead of whatever there was; a CSV file of vehicles goes with the stops.
   * Reading takes time: what comes later counts.
   */
  async take(files) {
    if (!files.length) return;
    this.takes += 1;
    const { takes } = this;
    try {
      const read = await Promise.all(files.map(readFile));
      const { fleet, stops } = await this.#fleetOf(read);
      if (takes !== this.takes) return;
      const others = read.filter((one) => one !== fleet || stops);
      const known = this.all;
      // What was said of files of these names still holds.
      if (!others.every((file) => known.some(({ name }) => name === file.name))) this.sheet.clear();
      const hasStops = (others.length ? others : known).some(({ text }) => isSheet(text));
      if (fleet && hasStops) this.sheet.write(fleet.text, fleet.name);
      else if (fleet) others.push(fleet);
      if (!others.length) {
        this.#changed(true);
        return;
      }
      this.tabs.show(others.some(({ text }) => isSheet(text)) || others.length > 1 ? 'files' : 'text');
      const [{ name, text }] = others;
      if (others.length === 1 && text.length <= MAX_EDITED && !isBook(text)) this.write(text, name);
      else this.#put(others, '', '');
    } catch (error) {
      if (takes !== this.takes) return;
      const said = error instanceof ServerError ? error : new ServerError('input', `A file cannot be read: ${error.message}`);
      showFailure(said, () => this.take(files));
    }
  }

  /**
   * The one of vehicles, where it can be one of several spreadsheets, and whether it is a workbook
   * that lists the stops as well; the server knows the columns.
   */
  async #fleetOf(files) {
    const sheets = files.filter(({ text }) => isSheet(text));
    if (sheets.length < 2 && !sheets.some(({ text }) => isBook(text)) && !this.all.some(({ sheet }) => sheet)) return {};
    const tables = await Promise.all(sheets.map(({ text }) => tablesOf(text, this.keyOf())));
    const lists = (index, kind) => tables[index].includes(kind);
    const own = sheets.findIndex((_, index) => lists(index, 'fleet') && !lists(index, 'stops'));
    const found = own >= 0 ? own : sheets.findIndex((_, index) => lists(index, 'fleet'));
    return { fleet: sheets[found], stops: found >= 0 && lists(found, 'stops') };
  }

  #source(name, text, before) {
    const sheet = isSheet(text);
    const body = sheet ? this.sheet.body(stemOf(name), text) : text;
    if (before?.body === body && before.name === name) return before;
    return { name, text, body, sheet, items: null, failure: null, reading: null };
  }

  async #readThere(source) {
    if (source.items) return;
    source.reading ??= readThere(source.body, { key: this.keyOf() });
    try {
      const items = previewItems(await source.reading);
      Object.assign(source, { items: source.sheet ? await Promise.all(items.map((item) => this.#sheetItem(source, item))) : items, failure: null });
    } catch (failure) {
      if (failure.kind === 'instances') Object.assign(source, { items: [unread(source, failure)], failure: null });
      else source.failure = failure;
    } finally {
      source.reading = null;
    }
  }

  /** An item of a spreadsheet; without its depot or vehicles, there is a sketch of it to draw. */
  async #sheetItem({ name, text }, item) {
    const assumed = new Set();
    let read = item;
    for (let asked = askedBy(item.error); asked.length; asked = askedBy(read.error).filter((key) => !assumed.has(key))) {
      for (const key of asked) assumed.add(key);
      const body = this.sheet.body(stemOf(name), text, [...assumed]);
      [read] = previewItems(await readThere(body, { key: this.keyOf() }));
    }
    const named = this.sheet.named(item);
    return assumed.size && read.problem ? { ...named, sketch: sketchOf(read.problem, assumed.has('depot')) } : named;
  }

  #typing() {
    clearTimeout(this.timer);
    if (!this.text.value) this.stem = '';
    byId('clear').hidden = !this.text.value;
    this.timer = setTimeout(() => this.#changed(false), TYPING_MS);
  }

  /** Tells at once what is known, and again once the server has read the rest. */
  async #changed(replaced) {
    const all = this.#show();
    this.onChange(replaced);
    const open = all.filter(({ items }) => !items);
    if (!open.length) return;
    await Promise.all(open.map((source) => this.#readThere(source)));
    if (all.length !== this.known.length || all.some((source, index) => source !== this.known[index])) return;
    this.#show();
    this.onChange(replaced);
  }

  #show() {
    const { files, all } = this;
    const named = this.#given.filter(({ name }) => name);
    byId('files').hidden = !named.length;
    this.text.disabled = Boolean(files.length);
    byId('clear').hidden = Boolean(named.length) || !this.text.value;
    byId('by-file').classList.toggle('filled', all.length > 0);
    byId('files').replaceChildren(...named.map((file, index) => this.#fileRow(file, index)));
    const errors = all.flatMap(({ sheet, items }) => (sheet ? items ?? [] : [])).map(({ error }) => error);
    this.sheet.show(all.some(({ sheet }) => sheet), errors.join('\n'));
    byId('input-note').textContent = described(all);
    return all;
  }

  #fileRow(file, index) {
    const remove = () => {
      this.files = this.files.filter((_, other) => other !== index);
      if (this.files.length) this.#changed(true);
      else byId('clear').click();
      (byId('files').querySelector('button') ?? this.tabs.first).focus();
    };
    return element('li', {}, element('span', { className: 'name' }, file.name), element('span', { className: 'quiet' }, bytes(file.text.length)),
      element('button', { type: 'button', 'aria-label': `Remove ${file.name}`, onclick: remove }, 'Remove'));
  }

  #listenToDrops() {
    const listen = (kinds, over, act = () => {}) => kinds.forEach((kind) => document.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      if (kind !== 'dragleave' || !event.relatedTarget) byId('input').classList.toggle('dropping', over);
      act(event);
    }));
    listen(['dragenter', 'dragover'], true);
    listen(['dragleave'], false); // with a related target, it goes on above another element
    listen(['drop'], false, ({ dataTransfer }) => this.take([...dataTransfer.files]));
  }
}

/** The item of a text that cannot be read at all. */
function unread({ name }, { code, message }) {
  return { name, problem: null, code, error: message, clock: null, notes: [] };
}

function stemOf(name) {
  return name.replace(/\.[^.]*$/, '');
}

/**
 * A file's text with its byte order mark; a packed one, known by its first bytes, is unpacked, and
 * an archive such as a workbook stays one, in base64.
 */
export async function readFile(file) {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (first === 0x50 && second === 0x4b) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    return { name: file.name, text: btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join('')) };
  }
  const packed = first === 0x1f && second === 0x8b;
  const stream = packed ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  const content = await new Response(stream).arrayBuffer();
  return { name: packed ? file.name.replace(/\.gz$/i, '') : file.name, text: decoded(content, file.name) };
}

/** UTF-8 and UTF-16; what is neither and looks like a CSV file is Windows-1252, as Excel saves it. */
function decoded(content, name) {
  const [first, second] = new Uint8Array(content.slice(0, 2));
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(content);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(content);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    const text = new TextDecoder('windows-1252').decode(content);
    if (isSheet(text) && !text.includes('\0')) return text;
    throw new Error(`${name} is not UTF-8 text. In Excel, save it as .xlsx or CSV UTF-8.`);
  }
}

/** What has been understood of the sources, in words. */
function described(sources) {
  const wrong = sources.find(({ failure }) => failure);
  if (wrong) return `${wrong.name ? `${wrong.name}: ` : ''}${wrong.failure.message}`.slice(0, MAX_NOTE);
  if (sources.some(({ items }) => !items)) return 'Reading …';
  const items = sources.flatMap((one) => one.items);
  if (!items.length) return '';
  const sizes = items.filter(({ problem }) => problem).map(({ problem }) => problem.ids.length).sort((a, b) => a - b);
  const bad = items.length - sizes.length;
  const [low, high] = [sizes[0], sizes.at(-1)];
  const parts = [count(items.length, 'instance')];
  if (sizes.length) parts[0] += `, ${low === high ? '' : `${low} to `}${count(high, 'customer')}${low === high && sizes.length > 1 ? ' each' : ''}`;
  if (bad) parts.push(items.length === 1 ? items[0].error.split('\n')[0] : `${bad} not understood`);
  const notes = new Set(items.flatMap((item) => item.notes)); // each once, not of every instance
  return [parts.join(' · ').slice(0, MAX_NOTE), ...[...notes].slice(0, MAX_NOTES)].join('\n');
}
