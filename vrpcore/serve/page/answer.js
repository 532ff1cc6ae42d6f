/** Answers: documents of one or several sources as one, with the problems they belong to. */

export const LEVELS = {
  none: { title: 'None', note: 'Without search: fastest.' },
  fast: { title: 'Fast', note: 'A short search.' },
  deep: { title: 'Deep', note: 'A long search: best routes. A time limit ends it earlier.' },
};

/** A solution's status in words. */
export function statusWord({ status }) {
  return status === 'partial' ? 'not all served' : status;
}

/** Whether a solution answers in routes: solved, or as much of it as there is. */
export function hasRoutes({ status, cost, unserved }) {
  return status === 'solved' || typeof cost === 'number' || unserved.length > 0;
}

/**
 * An answer that can be shown.
 * @param {string} level Key of `LEVELS`.
 * @param {{document: object, inKind?: object|null, views?: object[]}[]} parts One for each source.
 * @param {(import('./instances.js').Item|undefined)[][]} items Of each source.
 * @param {number} seconds Wall clock as seen from here.
 */
export function joinAnswer(level, parts, items, seconds) {
  const views = parts.flatMap(({ document, inKind = null, views: sent }, index) => {
    const known = items[index].length === document.solutions.length ? items[index] : [];
    return document.solutions.map((solution, row) => ({ solution: tidy(solution), item: known[row] ?? null, inKind, sent: sent?.[row] ?? null }));
  });
  const solutions = views.map(({ solution }) => solution);
  const document = parts.length === 1 ? parts[0].document : mergedDocument(parts);
  const answered = solutions.filter(({ cost }) => typeof cost === 'number');
  return {
    level,
    seconds,
    views,
    text: `${JSON.stringify(document)}\n`,
    model: document.model?.name,
    solved: solutions.filter(({ status }) => status === 'solved').length,
    partial: answered.filter(({ status }) => status !== 'solved').length,
    // Those who are out for their prize do not count.
    missing: solutions.flatMap(({ unserved }) => unserved).filter(({ reason }) => reason !== 'PRIZE').length,
    cost: answered.length ? sumOf(answered.map(({ cost }) => cost)) : null,
    routes: sumOf(answered.map(({ routes }) => routes.length)),
  };
}

/** A solution whose parts can be relied on, whatever was sent. */
function tidy(solution) {
  return {
    ...solution,
    name: String(solution?.name ?? ''),
    status: String(solution?.status ?? 'invalid'),
    routes: listed(solution?.routes).filter((route) => Array.isArray(route?.customers)).map((route) => ({
      ...route, late: listed(route.late), breaks: listed(route.breaks),
      reloads: listed(route.reloads).filter((each) => Number.isInteger(each?.after)),
    })),
    warnings: listed(solution?.warnings),
    unserved: listed(solution?.unserved).filter((item) => item?.id !== undefined),
  };
}

function listed(value) {
  return Array.isArray(value) ? value : [];
}

function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

function mergedDocument(parts) {
  const solutions = parts.flatMap(({ document }) => document.solutions);
  const sums = ['solved', 'invalid', 'infeasible', 'cost', 'seconds', 'partial'].map((key) =>
    [key, sumOf(parts.map(({ document }) => Number(document.summary?.[key]) || 0))]);
  const summary = { instances: solutions.length, ...Object.fromEntries(sums), improve: parts[0].document.summary?.improve };
  const perSecond = summary.seconds > 0 ? Math.round((1000 * solutions.length) / summary.seconds) / 1000 : 0;
  return {
    format: 'vrp-solutions/1',
    model: parts.map(({ document }) => document.model).find(Boolean) ?? null,
    summary: { ...summary, instances_per_second: perSecond },
    solutions,
  };
}
