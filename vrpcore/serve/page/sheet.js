/** Spreadsheets (CSV): which texts are some, and what they do not say themselves. */

import { byId } from './element.js';

const HEAD_CHARACTERS = 4096;
const DELIMITERS = [',', ';', '\t'];
const LETTERS = /\p{L}{2}|^[xy]$|^id$/iu;
const OF_FLEETS = /^(count|available|capacity|cap|payload|max|shift|work|fixed|cost|hourly|wage|speed|start_?depot|end_?depot|vehicle|van|truck|equipment|reload|initial_?load|start_?load|overtime|latest_?(start|departure)|late_?cost)/i;
const OF_STOPS = /^(demand|quantity|qty|amount|pickup|service|prize|penalty|priority|open|close|ready|due|window|time_?window|release|order|customer|address|phone|only_?vehicle|one_?of|before_?stop|late_?cost|max_?late)/i;

/** Names in the first row of a text that looks like a CSV file; none: it does not. */
export function headings(text) {
  const line = text.slice(0, HEAD_CHARACTERS).replace(/^[\s\uFEFF]+/, '').split(/\r\n|\n|\r/, 1)[0];
  if (/^([[{]|\/\/)/.test(line)) return [];
  const rows = DELIMITERS.map((delimiter) => line.split(delimiter).map((cell) => cell.trim().replace(/^"|"$/g, '')));
  const cells = rows.reduce((most, row) => (row.length > most.length ? row : most));
  return cells.filter((cell) => LETTERS.test(cell)).length > 1 ? cells : [];
}

/** Whether a CSV text lists vehicles rather than stops. */
export function isFleet(text) {
  const cells = headings(text);
  const [own, other] = [OF_FLEETS, OF_STOPS].map((known) => cells.filter((cell) => known.test(cell)).length);
  return own > other;
}

/** The fields that answer questions, by their keys in messages. */
const ANSWERS = { ignore_columns: /\bignore_columns\b/g, decimal: /\bdecimal(?= ")/g };

/** The fields next to the text: vehicles, what goes without them, and how the text is read. */
export class SheetFields {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.fleet = byId('fleet');
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

  /**
   * Shows the fields only where they mean something, and marks those that errors name.
   * @param {boolean} shown
   * @param {string} error
   */
  show(shown, error) {
    byId('sheet').hidden = !shown;
    for (const key of Object.keys(ANSWERS)) {
      this.inputs[key].setAttribute('aria-invalid', String(error.includes(this.#title(key))));
    }
    byId('no-fleet').hidden = !this.fleet.value;
    byId('without-fleet').hidden = Boolean(this.fleet.value.trim());
  }

  /** Puts vehicles into their field. */
  write(fleet) {
    this.fleet.value = fleet;
  }

  /** Empties all fields. */
  clear() {
    for (const input of [this.fleet, ...Object.values(this.inputs)]) input.value = '';
  }

  /**
   * An item of a spreadsheet, whose messages name fields in place of keys.
   * @param {import('./instances.js').Item} item
   */
  named(item) {
    const { error, preview } = item;
    return { ...item, error: this.#inFields(error), preview: { ...preview, notes: preview.notes.map((note) => this.#inFields(note)) } };
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
   * @param {string} stops
   */
  body(name, stops) {
    const { depot, capacity, speed, ignore_columns: ignored, decimal } = this.inputs;
    const fleet = this.fleet.value.trim() ? this.fleet.value : undefined;
    const alone = fleet ? {} : {
      depot: numbers(depot.value), capacity: single(numbers(capacity.value)),
    };
    return JSON.stringify({
      name: name || undefined, stops, fleet, ...alone, speed: single(numbers(speed.value)),
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
