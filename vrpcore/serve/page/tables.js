/** The shown instance in words: its routes and its customers. */

import { byId, cell, element, startTable, swatch } from './element.js';
import { amount, cost } from './numbers.js';
import { colourOf, onSchemeChange, shapeOf } from './palette.js';
import { reloadsOf } from './times.js';

const CUSTOMERS_AT_ONCE = 1000;

/** The routes; pointing at a row or a stop points at the same on the map. */
export class RouteTable {
  /**
   * @param {(route: number, node: number, pin: boolean) => void} onPoint
   */
  constructor(onPoint) {
    this.table = byId('route-table');
    this.rows = [];
    this.stops = new Map();
    this.swatches = [];
    const over = (event) => onPoint(rowOf(event), nodeOf(event), false);
    this.table.addEventListener('mouseover', over);
    this.table.addEventListener('focusin', over);
    this.table.addEventListener('mouseleave', () => onPoint(-1, 0, false));
    this.table.addEventListener('focusout', () => onPoint(-1, 0, false));
    this.table.addEventListener('click', (event) => {
      if (rowOf(event) >= 0) onPoint(rowOf(event), nodeOf(event), true);
    });
    onSchemeChange(() => this.#colour());
  }

  /** Another solution; `scene` null: nothing is known of its instance. */
  show(solution, scene) {
    this.scene = scene;
    this.swatches = [];
    this.stops = new Map();
    this.typed = solution.routes.some(({ vehicle }) => typeof vehicle === 'string');
    this.timed = Boolean(scene?.timed);
    const columns = [{ title: 'Route' }];
    if (this.typed) columns.push({ title: 'Vehicle' });
    columns.push({ title: 'Stops', number: true }, { title: 'Load', number: true }, { title: 'Cost', number: true });
    if (this.timed) columns.push({ title: 'Leaves', number: true }, { title: 'Back', number: true });
    const body = startTable(this.table, 'Routes of the shown instance', [...columns, { title: 'Customers in order' }]);
    this.table.classList.toggle('timed', this.timed);
    this.table.classList.toggle('typed', this.typed);
    this.rows = solution.routes.map((route, index) => this.#row(route, index));
    body.append(...this.rows);
    this.#colour();
  }

  /** Marks the pointed and the pinned route, and the pointed customer; -1 and 0: none. */
  mark(route, pinned, node) {
    this.rows.forEach((row, index) => {
      row.classList.toggle('pointed', index === route);
      row.firstChild.firstChild.setAttribute('aria-pressed', String(index === pinned));
    });
    this.table.querySelector('.pointed-stop')?.classList.remove('pointed-stop');
    this.stops.get(node)?.classList.add('pointed-stop');
  }

  #row(route, index) {
    const known = this.scene?.routes[index];
    const mark = swatch(shapeOf(known?.type));
    this.swatches.push(mark);
    const button = element('button', { type: 'button', className: 'plain', 'aria-pressed': 'false' }, mark, `Route ${index + 1}`);
    const row = element('tr', {}, element('th', { scope: 'row' }, button));
    if (this.typed) row.append(element('td', { className: 'vehicle' }, String(route.vehicle ?? '')));
    row.append(cell(String(route.customers.length), true), loadCell(route, this.scene), cell(cost(route.cost), true));
    if (this.timed) {
      const { clock } = this.scene.times;
      row.append(...[route.departure, route.return].map((time) => element('td', { className: 'number time' }, clock.time(time))));
      row.lastChild.append(...this.scene.lateWords(route).map((words) => element('small', { className: 'late' }, words)));
    }
    row.append(element('td', { className: 'stops' }, this.#stops(route, known)));
    row.dataset.route = index;
    return row;
  }

  #stops(route, known) {
    const { customers, late } = route;
    const complete = known?.nodes.length === customers.length;
    const reloads = new Map(reloadsOf(route).map(({ after, depot }) => [after, `\u21bb\u00a0${depot} \u2192 `]));
    return element('span', {}, ...customers.flatMap((id, index) => {
      const made = element('span', {}, this.scene?.inWords(id) ?? String(id));
      if (complete) {
        made.dataset.node = known.nodes[index];
        this.stops.set(known.nodes[index], made);
      }
      const lateness = this.timed && late?.[index] > 0 ? [' ', element('small', { className: 'late' }, `${this.scene.times.clock.span(late[index])} late`)] : [];
      return [index ? ' → ' : '', reloads.get(index) ?? '', made, ...lateness];
    }));
  }

  #colour() {
    this.swatches.forEach((mark, index) => {
      mark.style.backgroundColor = colourOf(this.scene?.routes[index]?.rank ?? index);
    });
  }
}

function rowOf(event) {
  const row = event.target.closest('tr');
  return row?.dataset.route === undefined ? -1 : Number(row.dataset.route);
}

function nodeOf(event) {
  return Number(event.target.closest('[data-node]')?.dataset.node ?? 0);
}

/** A load, and as a bar the share of the capacity. */
function loadCell(route, scene) {
  const made = cell(amount(route.load), true);
  const capacity = scene?.problem.capacity ?? null;
  if (capacity === null) return made;
  made.append(element('span', { className: 'quiet' }, ` / ${amount(capacity)}`));
  if (typeof route.load !== 'number' || typeof capacity !== 'number') return made;
  const bar = element('span', { className: 'load', 'aria-hidden': 'true' }, element('span'));
  bar.firstChild.style.width = `${Math.min(100, (100 * route.load) / capacity)}%`;
  made.append(bar);
  return made;
}

/** All customers as a table, made only once it is opened. */
export class CustomerTable {
  constructor() {
    this.details = byId('customers');
    this.more = byId('more-customers');
    this.scene = null;
    this.details.addEventListener('toggle', () => this.#fill());
    this.more.addEventListener('click', () => this.#append());
  }

  /** Another scene; null hides the table. */
  show(scene) {
    this.scene = scene;
    this.details.hidden = !scene;
    this.body = null;
    byId('customer-table').replaceChildren();
    this.more.hidden = true;
    this.#fill();
  }

  #fill() {
    if (!this.details.open || !this.scene || this.body) return;
    const columns = [{ title: 'Customer' }, { title: 'Demand', number: true }];
    const axes = this.scene.west === null ? ['x', 'y'] : ['Longitude', 'Latitude'];
    if (this.scene.problem.coords) columns.push(...axes.map((title) => ({ title, number: true })));
    if (this.scene.routes.length) columns.push({ title: 'Route', number: true }, { title: 'Stop', number: true });
    if (this.scene.timed) columns.push({ title: 'Arrives', number: true });
    this.body = startTable(byId('customer-table'), 'Customers of the shown instance', columns);
    this.next = this.scene.first;
    this.#append();
  }

  #append() {
    const { problem, routes, routeOf, stopOf, size } = this.scene;
    const end = Math.min(size, this.next + CUSTOMERS_AT_ONCE);
    const rows = [];
    for (let node = this.next; node < end; node += 1) {
      const head = element('th', { scope: 'row' }, this.scene.nameOf(node));
      const row = element('tr', {}, head, cell(amount(problem.demand[node]), true));
      if (problem.coords) row.append(cell(String(problem.coords[2 * node]), true), cell(String(problem.coords[2 * node + 1]), true));
      if (routes.length) {
        const known = routeOf[node] >= 0;
        row.append(cell(known ? String(routeOf[node] + 1) : '–', true), cell(known ? String(stopOf[node]) : '–', true));
        if (this.scene.timed) row.append(cell(this.scene.arrivalOf(node), true));
      }
      rows.push(row);
    }
    this.body.append(...rows);
    this.next = end;
    this.more.hidden = end >= size;
    this.more.textContent = `Show more (${size - end} left)`;
  }
}
