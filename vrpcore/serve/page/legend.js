/** What the marks on the map mean. */

import { byId, element, swatch } from './element.js';
import { shapeOf } from './palette.js';

/** Types of vehicles where there are several, and the marks that need a word; else hidden. */
export function showLegend(scene) {
  const legend = byId('legend');
  const entries = [];
  for (const [index, { id, count, used }] of (scene?.routes.length ? scene.types : []).entries()) {
    const number = count === null ? `${used} used` : `${used} of ${count} used`;
    entries.push([shapeOf(index), id, number]);
  }
  const reasons = [...(scene?.reasons.values() ?? [])];
  if (entries.length || reasons.length || scene?.first > 1) entries.push(['depot', scene.first > 1 ? 'Depots' : 'Depot', '']);
  if (scene?.routes.some(({ reloads }) => reloads.length)) entries.push(['reload', 'Reloads', '']);
  if (scene?.late.size) entries.push(['late', 'Late, overtime', '']);
  if (scene?.instead.size) entries.push(['other', 'Alternative not taken', '']);
  if (reasons.some((reason) => reason !== 'PRIZE')) entries.push(['cross', 'Not served', '']);
  if (reasons.includes('PRIZE')) entries.push(['cross optional', 'Left out, optional', '']);
  legend.hidden = !entries.length;
  legend.replaceChildren(...entries.map(([mark, name, note]) => element('li', {}, swatch(mark),
    element('span', {}, name, note ? element('small', {}, ` ${note}`) : ''))));
}
