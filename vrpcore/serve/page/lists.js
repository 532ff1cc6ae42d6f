/** What is printed: a list for each vehicle. */

import { byId, cell, element } from './element.js';
import { amount } from './numbers.js';

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
  const time = scene?.routes[index].bars ? (value) => scene.clock.time(value) : null;
  const leaves = time ? [`leaves ${time(route.departure)}`, `back ${time(route.return)}`] : [];
  const titles = ['Stop', ...(time ? ['Arrives', 'Begins'] : []), 'Name', 'Id', 'Amount'];
  const vehicle = typeof route.vehicle === 'string' ? ` · ${route.vehicle}` : '';
  return element('section', {},
    element('h2', {}, `${name}: route ${index + 1}${vehicle}`),
    element('p', {}, [...leaves, `load ${amount(route.load)}`].join(' · ')),
    element('table', {},
      element('thead', {}, element('tr', {}, ...titles.map((title) => element('th', { scope: 'col' }, title)))),
      element('tbody', {}, ...rowsOf(route, scene, time).map((cells) => element('tr', {}, ...cells.map((each) => cell(each)))))));
}

/** Stops, and what is done before them or behind the last one. */
function rowsOf(route, scene, time) {
  const others = [
    ...route.reloads.map(({ depot, ...each }) => ({ ...each, words: `Reload at ${depot}` })),
    ...(time ? route.breaks : []).map((each) => ({ ...each, words: 'Break' })),
  ];
  const brought = (id, stop) => scene.amountOf(scene.nodes.get(id), route.amounts?.[stop]).replace('demand ', '');
  const before = (stop) => others.filter(({ after }) => after === stop)
    .map(({ begin, words }) => ['', ...(time ? ['', time(begin)] : []), words, '', '']);
  return [...route.customers.flatMap((id, stop) => [...before(stop), [
    String(stop + 1), ...(time ? [time(route.arrivals[stop]), time(route.begins[stop])] : []),
    scene?.problem.names.get(String(id)) ?? '', String(id), scene?.nodes.has(id) ? brought(id, stop) : '',
  ]]), ...before(route.customers.length)];
}
