/** The shown instance in words: its routes, its customers, and who is not served. */

import { byId, cell, element, startTable, swatch } from './element.js';
import { amount, cost } from './numbers.js';
import { routeColour, shapeOf } from './palette.js';

const CUSTOMERS_AT_ONCE = 1000;
const MAX_UNSERVED = 1000;
const REASONS = {
  SKILLS: 'no vehicle has the skills',
  RELATION: 'no vehicle that has the skills may serve it',
  CAPACITY: 'too much for every vehicle',
  NO_ROAD: 'no road leads there, or back',
  WINDOW: 'too late for every vehicle, even by itself',
  DURATION: 'takes too long, even by itself',
  DISTANCE: 'too far, even by itself',
  RIDE: 'too long on board, even by itself',
  WAIT: 'too long a wait, even by itself',
  LOADED: 'on board elsewhere, or not loaded in time',
  FLEET: 'too few vehicles, or too little time',
  PRIZE: 'optional: leaving it out is cheaper',
};

/** The routes of a solution; `scene` null: nothing is known of its instance. */
export function showRoutes({ routes }, scene) {
  const table = byId('route-table');
  const typed = routes.some(({ vehicle }) => typeof vehicle === 'string');
  const timed = Boolean(scene?.timed);
  const [vehicle, times] = [typed ? ['Vehicle'] : [], timed ? ['#Leaves', '#Back'] : []];
  const titles = ['Route', ...vehicle, '#Stops', '#Load', '#Cost', ...times, 'Customers in order'];
  table.classList.toggle('timed', timed);
  table.classList.toggle('typed', typed);
  startTable(table, 'Routes of the shown instance', titles).append(...routes.map((route, index) => {
    const known = scene?.routes[index];
    const button = element('button', { type: 'button', className: 'plain', 'aria-pressed': 'false' },
      swatch(shapeOf(known?.type)), `Route ${index + 1}`);
    const row = element('tr', { 'data-route': index }, element('th', { scope: 'row' }, button));
    row.style.setProperty('--route', routeColour(known?.rank ?? index));
    if (typed) row.append(element('td', { className: 'vehicle' }, String(route.vehicle ?? '')));
    row.append(cell(String(route.customers.length), true), loadCell(route, scene), cell(cost(route.cost), true));
    if (timed) {
      row.append(...[route.departure, route.return].map((time) => element('td', { className: 'number time' }, scene.clock.time(time))));
      row.lastChild.append(...scene.lateWords(route).map(lateMark));
    }
    row.append(element('td', { className: 'stops' }, stopsOf(route, known, scene)));
    return row;
  }));
}

function stopsOf({ customers, late, reloads }, known, scene) {
  const complete = known?.nodes.length === customers.length;
  const before = new Map(reloads.map(({ after, depot }) => [after, `\u21bb\u00a0${depot} \u2192 `]));
  return element('span', {}, ...customers.flatMap((id, index) => {
    const made = element('span', complete ? { 'data-node': known.nodes[index], 'data-stop': index } : {}, scene?.inWords(id) ?? String(id));
    const lateness = scene?.timed && late[index] > 0 ? [' ', lateMark(`${scene.clock.span(late[index])} late`)] : [];
    return [index ? ' → ' : '', before.get(index) ?? '', made, ...lateness];
  }));
}

function lateMark(words) {
  return element('small', { className: 'late' }, words);
}

/** A load, and as a bar the share of the capacity. */
function loadCell({ load }, scene) {
  const made = cell(amount(load), true);
  const capacity = scene?.problem.capacity ?? null;
  if (capacity === null) return made;
  made.append(element('span', { className: 'quiet' }, ` / ${amount(capacity)}`));
  if (typeof load !== 'number' || typeof capacity !== 'number') return made;
  const bar = element('span', { className: 'load', 'aria-hidden': 'true' }, element('span'));
  bar.firstChild.style.width = `${Math.min(100, (100 * load) / capacity)}%`;
  made.append(bar);
  return made;
}

/** Who is not served, and why; hidden where that is nobody. */
export function showUnserved(unserved, scene) {
  byId('unserved').hidden = !unserved.length;
  const rows = unserved.slice(0, MAX_UNSERVED).map(({ id, reason, detail }) => {
    const code = String(reason ?? '');
    const node = scene?.nodeOf(id);
    return element('tr', node ? { 'data-node': node } : {}, element('th', { scope: 'row' }, scene?.inWords(id) ?? String(id)),
      element('td', {}, REASONS[code] ? `${REASONS[code]} ` : '', element('code', {}, code)), cell(String(detail ?? '')));
  });
  startTable(byId('unserved-table'), 'Stops that are not served', ['Customer', 'Reason', 'Detail']).append(...rows);
  const rest = unserved.length - MAX_UNSERVED;
  byId('unserved-note').textContent = rest > 0 ? `and ${amount(rest)} more; the JSON has all` : '';
}

/** All customers as a table, made only once it is opened. */
export class CustomerTable {
  constructor() {
    this.details = byId('customers');
    this.more = byId('more-customers');
    this.details.addEventListener('toggle', () => this.#fill());
    this.more.addEventListener('click', () => this.#append());
  }

  /** Another scene; null hides the table. */
  show(scene) {
    Object.assign(this, { scene, body: null });
    this.details.hidden = !scene;
    this.more.hidden = true;
    byId('customer-table').replaceChildren();
    this.#fill();
  }

  #fill() {
    if (!this.details.open || !this.scene || this.body) return;
    const { scene } = this;
    this.columns = [['#Demand', (node) => scene.amountOf(node).replace('demand ', '')]];
    if (scene.problem.coords) {
      const axes = scene.west === null ? ['#x', '#y'] : ['#Longitude', '#Latitude'];
      axes.forEach((title, axis) => this.columns.push([title, (node) => String(scene.problem.coords[2 * node + axis])]));
    }
    if (scene.routes.length) {
      const known = (node, value) => (scene.routeOf[node] >= 0 ? String(value) : '–');
      this.columns.push(['#Route', (node) => known(node, scene.routeOf[node] + 1)], ['#Stop', (node) => known(node, scene.visitOf(node).stop + 1)]);
    }
    if (scene.timed) this.columns.push(['#Arrives', (node) => scene.arrivalOf(node)]);
    const titles = ['Customer', ...this.columns.map(([title]) => title)];
    this.body = startTable(byId('customer-table'), 'Customers of the shown instance', titles);
    this.next = scene.first;
    this.#append();
  }

  #append() {
    const { scene } = this;
    const end = Math.min(scene.size, this.next + CUSTOMERS_AT_ONCE);
    for (; this.next < end; this.next += 1) {
      this.body.append(element('tr', {}, element('th', { scope: 'row' }, scene.nameOf(this.next)),
        ...this.columns.map(([, words]) => cell(words(this.next), true))));
    }
    this.more.hidden = end >= scene.size;
    this.more.textContent = `Show more (${scene.size - end} left)`;
  }
}
