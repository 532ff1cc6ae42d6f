/** Solutions as files: JSON as answered, CVRPLIB `.sol`, and CSV as `vrp solve` writes it. */

import { reloadsOf } from './times.js';

const COLUMNS = [
  'instance', 'status', 'route', 'stop', 'customer', 'demand', 'x', 'y', 'route_load',
  'route_cost', 'cost', 'balance', 'gap', 'warnings', 'code', 'error',
  'vehicle', 'start', 'end', 'arrival', 'begin', 'departure', 'return', 'distance', 'duration',
  'late', 'late_return', 'overtime', 'reason',
];
const MAX_LINES = 100_000; // of a .sol: one a vehicle
const FORMULA = /^[\s\u0000-\u001f]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
// Behind what separates cells in another country, unless it is a number.
const FORMULA_BEHIND = /[;,]\s*(?=[=@]|[+-](?!\d[\d.]*\s*(?:[;,]|$)))/g;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Offers a text as a file. */
export function offer(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A plain file name, whatever the instance is called. */
export function fileName(position, name, ending) {
  const safe = name.slice(0, 76).replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+|\.+$/g, '');
  return `${position}-${safe || 'instance'}.${ending}`;
}

/**
 * One solution as a `.sol` text.
 * @param {object} solution Solved.
 * @param {import('./problem.js').Problem|null} problem Says the customers' positions.
 * @returns {string|null} null where customers have no numbers to be called by, or vehicles no lines.
 */
export function solText(solution, problem) {
  if (!problem && solution.routes.some(({ vehicle }) => vehicle !== undefined)) return null; // lines tell types
  const used = solution.routes.flatMap(({ customers }) => customers);
  const ids = problem ? problem.ids : used;
  const numbered = ids.every((id) => Number.isInteger(id) && id >= 0) && !problem?.reloads;
  if (!numbered && !problem) return null;
  const before = problem?.reloads ? problem.depots.length : 1; // reloads: depots have numbers, too
  const names = numbered ? null : new Map(problem.ids.map((id, index) => [id, before + index]));
  const lines = linesOf(solution, problem?.vehicles ?? null)?.map((route, index) =>
    [`Route #${index + 1}:`, ...visitsOf(route, names, problem)].join(' '));
  return lines ? `${[...lines, `Cost ${solution.cost}`].join('\n')}\n` : null;
}

/** Numbers of a line: of customers, and of depots where the vehicle reloads. */
function visitsOf(route, names, problem) {
  const depots = new Map(reloadsOf(route).map(({ depot, after }) => [after, problem?.depots.indexOf(String(depot))]));
  return route.customers.flatMap((id, index) => [
    ...(depots.has(index) ? [depots.get(index)] : []), names?.get(id) ?? id,
  ]);
}

/**
 * The route of each line: one a vehicle, types in order, so that a line's number tells its type;
 * null where there would be too many.
 */
function linesOf({ routes }, vehicles) {
  if (!vehicles) return routes;
  const lines = [];
  let idle = 0;
  for (const { id, count } of vehicles) {
    const own = routes.filter(({ vehicle, customers }) => customers.length && (vehicle ?? vehicles[0].id) === id);
    if (own.length) {
      if (lines.length + idle > MAX_LINES) return null;
      lines.push(...Array(idle).fill({ customers: [] }), ...own);
      idle = 0;
    }
    idle += Math.max(0, (count ?? 0) - own.length);
  }
  return lines;
}

/** One solution as CSV, a row for each stop, safe to open in a spreadsheet. */
export function csvText(solution, problem) {
  const tail = [
    solution.cost ?? '', solution.balance ?? '', solution.gap ?? '', plain(solution.warnings.join(' ')),
    plain(solution.code ?? ''), plain(solution.error ?? ''),
  ];
  const columns = problem?.reloads ? [...COLUMNS, 'type'] : COLUMNS;
  const stops = [...stopsOf(solution, problem)];
  const rows = (stops.length ? stops : [[Array(8).fill(''), Array(14).fill('')]])
    .map(([stop, times]) => [plain(solution.name), solution.status, ...stop, ...tail, ...times].slice(0, columns.length));
  return `${[columns, ...rows].map((row) => row.map(quoted).join(',')).join('\n')}\n`;
}

function* stopsOf(solution, problem) {
  const nodes = new Map(problem?.ids.map((id, index) => [id, index + problem.depots.length]));
  const kind = (id) => problem?.kinds?.[nodes.get(id) - problem.depots.length] ?? '';
  const point = (node, axis) => (problem?.coords && node >= 0 ? problem.coords[2 * node + axis] : '');
  const place = (id) => {
    const node = nodes.get(id);
    const shown = typeof id === 'string' ? plain(id) : id;
    return [shown, node === undefined ? '' : amounts(problem.demand[node]), point(node, 0), point(node, 1)];
  };
  for (const [row, route] of solution.routes.entries()) {
    const all = [amounts(route.load ?? ''), route.cost ?? ''];
    const times = (arrival, begin, late, type) => [
      plain(route.vehicle ?? ''), plain(route.start ?? ''), plain(route.end ?? ''), arrival ?? '', begin ?? '',
      route.departure ?? '', route.return ?? '', route.distance ?? '', route.duration ?? '',
      late ?? '', route.late_return ?? '', route.overtime ?? '', '', type,
    ];
    const reloads = new Map(reloadsOf(route).map((each) => [each.after, each]));
    for (const [column, id] of route.customers.entries()) {
      const reload = reloads.get(column);
      if (reload) {
        const node = problem?.depots.indexOf(String(reload.depot)) ?? -1;
        yield [[row + 1, '', plain(String(reload.depot)), '', point(node, 0), point(node, 1), ...all], times(reload.arrival, reload.begin, '', 'reload')];
      }
      yield [[row + 1, column + 1, ...place(id), ...all], times(route.arrivals?.[column], route.begins?.[column], route.late?.[column], kind(id))];
    }
  }
  for (const { id, reason } of solution.unserved ?? []) {
    yield [['', '', ...place(id), '', ''], [...Array(12).fill(''), plain(String(reason ?? '')), kind(id)]];
  }
}

/** Amounts in several load dimensions with blanks between them. */
function amounts(value) {
  return Array.isArray(value) ? value.join(' ') : value;
}

function plain(text) {
  const mark = FORMULA.test(text) ? "'" : '';
  return mark + text.replace(FORMULA_BEHIND, "$&'").replace(CONTROL, (sign) => {
    const code = sign.charCodeAt(0);
    const named = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[sign];
    return named ?? (code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`);
  });
}

function quoted(value) {
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
