/** The page: what was put in, what came out, and the buttons between them. */

import { LEVELS, hasRoutes, joinAnswer, statusWord } from './answer.js';
import { NONE_VALID, ServerError, fetchStreets, fetchText, solve as askServer } from './api.js';
import { showComparison } from './comparison.js';
import { offer } from './downloads.js';
import { byId } from './element.js';
import { showFailure } from './failures.js';
import { InstanceList } from './list.js';
import { clearNotices, notify } from './notices.js';
import { cost, count, seconds } from './numbers.js';
import { Plan } from './plan.js';
import { Shown } from './shown.js';
import { Sources, readFile } from './sources.js';

const NOTICES = ['input-notice', 'plan-notice', 'option-notice', 'key-notice', 'run-notice'].map(byId);
const TICK_MS = 100;

const state = {
  answers: new Map(), // by level, all of one input
  input: '', // which input that was
  level: '',
  index: 0,
  running: null, // an AbortController
};
const shown = new Shown((at) => sources.sheet.placeDepot(at));
const list = new InstanceList(pick);
const sources = new Sources(inputChanged, () => byId('key').value);
const plan = new Plan(readFile, () => inputChanged(false));

function inputOf(all) {
  return JSON.stringify([plan.text, plan.query, all.map(({ name, body }) => [name, body])]);
}

/** What can be shown of the input: nothing yet of what the server has not read. */
function itemsOf(all) {
  return all.flatMap(({ items }) => items ?? []);
}

function inputChanged(replaced) {
  clearNotices(...NOTICES);
  if (replaced) {
    state.answers.clear();
    state.index = 0;
  }
  if (state.answers.size) byId('stale').hidden = inputOf(sources.all) === state.input;
  else refresh();
}

/** What can be shown: the answer, or a preview of the input where there is none. */
function views() {
  return state.answers.get(state.level)?.views ?? itemsOf(sources.all).map((item) => ({ item, solution: null, inKind: null, sent: null }));
}

function refresh() {
  const answer = state.answers.get(state.level);
  const entries = views().map(entryOf);
  const size = entries.length;
  state.index = Math.max(0, Math.min(state.index, size - 1));
  byId('stale').hidden = true;
  byId('content').hidden = !size;
  byId('empty').hidden = Boolean(size);
  showComparison(state.answers, state.level, showLevel);
  if (answer) say(summaryOf(answer));
  else if (!state.running) say(size ? 'Not solved yet.' : 'Nothing to solve yet.');
  list.show(entries, state.index);
  if (size) pick(state.index);
}

/** @returns {import('./list.js').Entry} */
function entryOf({ item, solution }) {
  if (!solution) {
    const { name, problem, sketch } = item;
    const word = problem ? count(problem.ids.length, 'customer') : sketch ? 'incomplete' : 'not understood';
    return { name, word, good: Boolean(problem), cost: null };
  }
  const { name, status, cost: own = null, routes } = solution;
  return { name, word: statusWord(solution), good: status === 'solved', cost: hasRoutes(solution) ? own : null, routes: routes.length };
}

function pick(index) {
  state.index = index;
  const view = views()[index];
  if (view) shown.show({ ...view, name: view.solution?.name ?? view.item.name, position: index });
}

function showLevel(level) {
  state.level = level;
  refresh();
}

function summaryOf(answer) {
  const total = answer.views.length;
  const parts = [`${answer.solved === total ? '' : `${answer.solved} of `}${count(total, 'instance')} solved`];
  if (answer.partial) parts.push(`${answer.partial} not all served`);
  if (answer.cost !== null) parts.push(`${total > 1 ? 'total cost' : 'cost'} ${cost(answer.cost)}`, count(answer.routes, 'route'));
  parts.push(seconds(answer.seconds), `improve ${answer.level}`);
  if (typeof answer.model === 'string') parts.push(`model ${answer.model}`);
  return parts.join(' · ');
}

/** Runs one kind of solving after another; the page stays usable meanwhile. */
async function run(levels) {
  if (state.running) return;
  clearNotices(...NOTICES);
  if (!sources.all.length) {
    notify(byId('input-notice'), 'Drop or choose a spreadsheet first, paste JSON, or take an example.');
    sources.tabs.first.focus();
    return;
  }
  if (plan.text && sources.all.length > 1) {
    notify(byId('plan-notice'), 'A plan goes with one file: remove the plan, or the other files.');
    return;
  }
  const limit = timeLimit();
  if (limit === null) return;
  const input = inputOf(sources.all);
  if (input !== state.input) state.answers.clear();
  state.input = input;
  const control = new AbortController();
  working(control);
  const context = { key: byId('key').value, query: { ...(limit && { time_limit: limit }), ...plan.query }, signal: control.signal };
  try {
    say('Reading');
    context.all = await unlessAborted(sources.read(), control.signal);
    for (const level of levels) {
      say(levels.length > 1 ? `Solving: ${LEVELS[level].title.toLowerCase()}` : 'Solving');
      const begun = performance.now();
      const parts = await solveThere(level, context);
      const items = context.all.map((one) => one.items);
      state.answers.set(level, joinAnswer(level, parts, items, (performance.now() - begun) / 1000));
      state.level = level;
    }
  } catch (error) {
    failed(error, levels);
  } finally {
    working(null);
    refresh();
    if (state.answers.has(levels.at(-1))) reveal(byId('answer'));
    byId('stale').hidden = !state.answers.size || inputOf(sources.all) === state.input;
  }
}

/** What a promise gives, unless a signal says before that nobody waits for it. */
function unlessAborted(promise, signal) {
  const aborted = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  return Promise.race([promise, aborted]);
}

async function solveThere(improve, { all, query, ...who }) {
  const parts = [];
  const refused = [];
  for (const { name, body, items } of all) {
    try {
      if (items.length && items.every(isInvalid)) throw noneValid(items);
      parts.push(await askServer(plan.with(body), { improve, ...query }, who));
    } catch (error) {
      if (error.kind !== 'instances') throw error;
      refused.push(error);
      parts.push({ document: error.answer ?? refusedDocument([{ name, code: error.code, error: error.message }]) });
    }
  }
  if (refused.length < all.length) return parts; // the others have their answers
  throw refused.length === 1 ? refused[0] : noneValid(parts.flatMap(({ document }) => document.solutions));
}

/** Whether the server has found an instance invalid, not just one that it cannot show. */
function isInvalid({ problem, code }) {
  return !problem && !['TOO_LARGE', 'NOT_WRITABLE'].includes(code);
}

/** What the server has read already, it need not refuse again. */
function noneValid(items) {
  return new ServerError('instances', NONE_VALID, { answer: refusedDocument(items) });
}

function refusedDocument(items) {
  const solutions = items.map(({ name, code, error }) => ({ name, status: 'invalid', code, error }));
  return { summary: { seconds: 0, invalid: solutions.length }, solutions };
}

/** Seconds as the server wants them, '' without a limit, null where the field is wrong. */
function timeLimit() {
  const field = byId('time-limit');
  const good = field.validity.valid;
  field.setAttribute('aria-invalid', String(!good));
  if (good) return field.value;
  notify(byId('option-notice'), 'Give the time limit as a number of seconds, 0 or more.');
  field.focus();
  return null;
}

function failed(error, levels) {
  if (error.name === 'AbortError') {
    notify(byId('run-notice'), 'Cancelled.', { tone: 'warning' });
    return;
  }
  showFailure(error, () => run(levels));
  if (!error.answer || state.answers.size) return;
  // Nothing in it is valid: the list still shows each instance with its reason.
  [state.level] = levels;
  state.answers.set(state.level, joinAnswer(state.level, [{ document: error.answer }], [itemsOf(sources.all)], error.answer.summary?.seconds));
}

let ticking = 0;

function working(control) {
  state.running = control;
  for (const id of ['solve', 'compare']) byId(id).disabled = Boolean(control);
  byId('answer').setAttribute('aria-busy', String(Boolean(control)));
  byId('working').hidden = !control;
  byId('content').classList.toggle('waiting', Boolean(control));
  clearInterval(ticking);
  if (!control) return;
  const begun = performance.now();
  const tick = () => { byId('elapsed').textContent = `${((performance.now() - begun) / 1000).toFixed(1)} s`; };
  tick();
  ticking = setInterval(tick, TICK_MS);
}

/** On a narrow page the answer lies below the input. */
function reveal(part) {
  const { top } = part.getBoundingClientRect();
  if (top > 0.6 * window.innerHeight) part.scrollIntoView();
}

function say(text) {
  byId('status').textContent = text;
}

function noteLevel() {
  const chosen = document.querySelector('input[name=improve]:checked').value;
  byId('level-note').textContent = LEVELS[chosen].note;
}

/** Takes the files of an example. */
async function takeExample(...names) {
  clearNotices(...NOTICES);
  try {
    const [text, fleet] = await Promise.all(names.map((name) => fetchText(name, byId('key').value)));
    if (fleet) sources.writeSheets(text, fleet);
    else sources.write(text);
  } catch (error) {
    showFailure(error, () => takeExample(...names));
  }
}

byId('input').addEventListener('submit', (event) => {
  event.preventDefault();
  run([document.querySelector('input[name=improve]:checked').value]);
});
byId('text').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) byId('input').requestSubmit();
});
byId('compare').addEventListener('click', () => run(['none', 'fast', 'deep']));
byId('cancel').addEventListener('click', () => state.running?.abort());
byId('example').addEventListener('click', () => takeExample('example.json'));
byId('sheets').addEventListener('click', () => takeExample('stops.csv', 'vans.csv'));
byId('download-json').addEventListener('click', () =>
  offer('solutions.json', state.answers.get(state.level).text, 'application/json'));
document.querySelectorAll('input[name=improve]').forEach((input) => input.addEventListener('change', noteLevel));
noteLevel();
refresh();
fetchStreets(byId('key').value).then((streets) => shown.drawing.tiles.use(streets), () => {}); // without, the map is plain
