/** Answers of several levels to the same input, side by side. */

import { LEVELS } from './answer.js';
import { byId, cell, element, startTable } from './element.js';
import { cost, percent, seconds } from './numbers.js';

/**
 * Shows the table where there are two answers or more.
 * @param {Map<string, object>} answers By level.
 * @param {string} shown Level of the one whose routes are shown.
 * @param {(level: string) => void} onShow
 */
export function showComparison(answers, shown, onShow) {
  byId('comparison').hidden = answers.size < 2;
  const body = startTable(byId('comparison-table'), 'Cost and time of each level', [
    'Improve', '#Cost', '#Above best', '#Time', '#Routes', '#Solved', '#Not served', 'Map',
  ]);
  const known = Object.keys(LEVELS).filter((level) => answers.has(level)).map((level) => answers.get(level));
  // Costs are compared where as many are served: leaving stops out is cheaper.
  const most = Math.max(...known.map(({ solved }) => solved));
  const least = Math.min(...known.filter(({ solved }) => solved === most).map(({ missing }) => missing));
  const alike = known.filter((each) => each.solved === most && each.missing === least && each.cost !== null);
  const best = Math.min(...alike.map((each) => each.cost));
  for (const answer of known) {
    const full = alike.includes(answer);
    const show = () => {
      onShow(answer.level);
      byId('comparison-table').querySelector('[aria-pressed=true]')?.focus();
    };
    const button = element('button', {
      type: 'button', 'aria-pressed': String(answer.level === shown), 'aria-label': `Show ${LEVELS[answer.level].title}`, onclick: show,
    }, 'Show');
    const above = full && best > 0 ? percent(answer.cost / best - 1) : '–';
    body.append(element('tr', { className: full && answer.cost === best ? 'best' : '' },
      element('th', { scope: 'row' }, LEVELS[answer.level].title),
      cell(cost(answer.cost), true), cell(above, true), cell(seconds(answer.seconds), true),
      cell(String(answer.routes), true), cell(`${answer.solved} of ${answer.views.length}${answer.partial ? `, ${answer.partial} in part` : ''}`, true),
      cell(String(answer.missing), true), cell(button)));
  }
}
