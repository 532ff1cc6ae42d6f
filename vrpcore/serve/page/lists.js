/** What is printed: a list for each vehicle. */

import { byId, cell, element } from './element.js';
import { amount } from './numbers.js';
import { reloadsOf } from './times.js';

/**
 * Fills the part of the page that only a printer shows.
 * @param {string} name Of the instance.
 * @param {object|null} solution With routes; null: there is nothing to print.
 * @param {import('./scene.js').Scene|null} scene null: nothing is known of the instance.
 */
export function fillLists(name, solution, scene) {
  const lists = (solution?.routes ?? []).map((route, index) => listOf(name, route, index, scene));
  const missing = (solution?.unserved ?? []).map(({ id }) => scene?.inWords(id) ?? String(id));
  if (missing.length) lists.push(element('section', {}, element('h2', {}, `${name}: not served`), element('p', {}, missing.join(', '))));
  byId('lists').replaceChildren(...lists);
}

function listOf(name, route, index, scene) {
  const time = scene?.routes[index].bars ? (value) => scene.times.clock.time(value) : null;
  const facts = [`load ${amount(route.load)}`];
  if (time) facts.unshift(`leaves ${time(route.departure)}`, `back ${time(route.return)}`);
  const titles = ['Stop', ...(time ? ['Arrives', 'Begins'] : []), 'Name', 'Id', 'Amount'];
  const vehicle = typeof route.vehicle === 'string' ? ` · ${route.vehicle}` : '';
  return element('section', {},
    element('h2', {}, `${name}: route ${index + 1}${vehicle}`),
    element('p', {}, facts.join(' · ')),
    element('table', {},
      element('thead', {}, element('tr', {}, ...titles.map((title) => element('th', { scope: 'col' }, title)))),
      element('tbody', {}, ...rowsOf(route, scene, time))));
}

function rowsOf(route, scene, time) {
  const between = (after, begin, words) => ({ after, cells: ['', ...(time ? ['', time(begin)] : []), words, '', ''] });
  const others = [
    ...reloadsOf(route).map(({ after, depot, begin }) => between(after, begin, `Reload at ${depot}`)),
    ...(time ? route.breaks ?? [] : []).map(({ after, begin }) => between(after, begin, 'Break')),
  ];
  const rows = route.customers.flatMap((id, stop) => [
    ...others.filter(({ after }) => after === stop).map(({ cells }) => cells),
    [String(stop + 1), ...(time ? [time(route.arrivals[stop]), time(route.begins[stop])] : []), scene?.problem.names?.get(String(id)) ?? '', String(id), amountOf(id, scene)],
  ]);
  rows.push(...others.filter(({ after }) => after >= route.customers.length).map(({ cells }) => cells));
  return rows.map((cells) => element('tr', {}, ...cells.map((each) => cell(each))));
}

function amountOf(id, scene) {
  const node = scene?.nodes.get(id);
  return node === undefined ? '' : amount(scene.problem.demand[node]);
}
