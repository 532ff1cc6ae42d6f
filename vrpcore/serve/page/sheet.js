/** Spreadsheets: which texts are some, and what they do not say themselves. */

import { byId } from './element.js';

const HEAD_CHARACTERS = 4096;
const DELIMITERS = [',', ';', '\t'];
const LETTERS = /\p{L}{2}|^[xy]$|^id$/iu;

/** Whether a text is a workbook in base64. */
export function isBook(text) {
  return text.startsWith('UEsDB');
}

/** Whether a text is a workbook, or looks like a CSV file by the names in its first row. */
export function isSheet(text) {
  if (isBook(text)) return true;
  const line = text.slice(0, HEAD_CHARACTERS).replace(/^[\s\uFEFF]+/, '').split(/\r\n|\n|\r/, 1)[0];
  if (/^([[{]|\/\/)/.test(line)) return false;
  const rows = DELIMITERS.map((delimiter) => line.split(delimiter).map((cell) => cell.trim().replace(/^"|"$/g, '')));
  const cells = rows.reduce((most, row) => (row.length > most.length ? row : most));
  return cells.filter((cell) => LETTERS.test(cell)).length > 1;
}

/** The fields that answer questions, by their keys in messages. */
const ANSWERS = { ignore_columns: /\bignore_columns\b/g, decimal: /\bdecimal(?= ")/g };
/** Those that errors ask for, as the server words it. */
const ASKED = { depot: /\b(give|or) depot\b/, capacity: /\bgive capacity\b/, speed: /\bgive speed\b/ };
/** What stands for them where only the stops are to be drawn. */
const ASSUMED = { depot: [0, 0], capacity: 1e9, speed: 30 };

/** The fields that an error asks for. @returns {string[]} */
export function askedBy(error) {
  return Object.keys(ASKED).filter((key) => ASKED[key].test(error));
}

/** The fields next to the text: vehicles, what goes without them, and how the text is read. */
export class SheetFields {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.fleet = byId('fleet');
    this.book = ''; // of vehicles; their field has its name
    this.inputs = {
      depot: byId('depot'), capacity: byId('capacity'), speed: byId('speed'),
      ignore_columns: byId('ignore-columns'), decimal: byId('decimal'),
    };
    for (const input of [this.fleet, ...Object.values(this.inputs)]) {
      input.addEventListener(input instanceof HTMLSelectElement ? 'change' : 'input', onChange);
    }
    byId('no-fleet').addEventListener('click', () => {
      this.write('');
      onChange();
      this.fleet.focus();
    });
  }

  /** Shows the fields only where they mean something, and marks those that errors name. */
  show(shown, error) {
    byId('sheet').hidden = !shown;
    for (const key of Object.keys(ANSWERS)) {
      const named = error.includes(this.#title(key));
      this.inputs[key].setAttribute('aria-invalid', String(named));
      if (named) byId('reading').open = true;
    }
    const asked = askedBy(error);
    for (const key of Object.keys(ASKED)) this.inputs[key].setAttribute('aria-invalid', String(asked.includes(key)));
    byId('no-fleet').hidden = !this.fleet.value;
    byId('without-fleet').hidden = Boolean(this.fleet.value.trim());
  }

  /** Writes where the depot is. @param {number[]} values As in the field. */
  placeDepot(values) {
    const { depot } = this.inputs;
    depot.value = values.map((value) => String(Number(value.toPrecision(7)))).join(', ');
    depot.dispatchEvent(new Event('input'));
  }

  /** Puts vehicles into their field; of a workbook its name. */
  write(fleet, name = '') {
    this.book = isBook(fleet) ? fleet : '';
    this.fleet.value = this.book ? name : fleet;
    this.fleet.readOnly = Boolean(this.book);
  }

  /** Empties all fields. */
  clear() {
    this.write('');
    for (const input of Object.values(this.inputs)) input.value = '';
  }

  /** An item of a spreadsheet, whose messages name fields in place of keys. */
  named(item) {
    return { ...item, error: this.#inFields(item.error), notes: item.notes.map((note) => this.#inFields(note)) };
  }

  #inFields(message) {
    return Object.entries(ANSWERS).reduce((text, [key, written]) => text.replace(written, () => this.#title(key)), message);
  }

  #title(key) {
    return `“${this.inputs[key].labels[0].textContent}”`;
  }

  /**
   * One request's body for the stops.
   * @param {string} name Of the instance.
   * @param {string[]} [assumed] What nobody has said, so that something stands for it.
   */
  body(name, stops, assumed = []) {
    const { depot, capacity, speed, ignore_columns: ignored, decimal } = this.inputs;
    const fleet = this.book || (this.fleet.value.trim() ? this.fleet.value : undefined);
    return JSON.stringify({
      name: name || undefined, stops, fleet, depot: numbers(depot.value),
      capacity: fleet ? undefined : single(numbers(capacity.value)), speed: single(numbers(speed.value)),
      ...Object.fromEntries(assumed.map((key) => [key, ASSUMED[key]])),
      ignore_columns: names(ignored.value), decimal: decimal.value || undefined,
    });
  }
}

/** Numbers as people write them in a field; a text that is none stays for the server to name. */
function numbers(text) {
  if (!text.trim()) return undefined;
  return text.trim().split(/\s*[,;]\s*|\s+/).map((part) => (Number.isFinite(Number(part)) ? Number(part) : part));
}

function names(text) {
  const found = text.split(',').map((name) => name.trim()).filter(Boolean);
  return found.length ? found : undefined;
}

function single(values) {
  return values?.length === 1 ? values[0] : values;
}
