/** Answers: documents of one or several sources as one, with the problems they belong to. */

import { exactSum } from './problem.js';

export const LEVELS = {
  none: { title: 'None', note: 'Without search: fastest.' },
  fast: { title: 'Fast', note: 'A short search.' },
  deep: { title: 'Deep', note: 'A long search: best routes. A time limit ends it earlier.' },
};

const WORDS = { solved: 'solved', invalid: 'invalid', infeasible: 'infeasible', partial: 'not all served' };

/** A solution's status in words. */
export function statusWord({ status }) {
  return WORDS[status] ?? status;
}

/** Whether a solution answers in routes: solved, or as much of it as there is. */
export function hasRoutes({ status, cost, unserved }) {
  return status === 'solved' || typeof cost === 'number' || unserved.length > 0;
}

/**
 * An answer that can be shown.
 * @param {string} level Key of `LEVELS`.
 * @param {{document: object, inKind?: object|null}[]} parts One for each source.
 * @param {(import('./instances.js').Item|undefined)[][]} items Of each source.
 * @param {number} seconds Wall clock as seen from here.
 */
export function joinAnswer(level, parts, items, seconds) {
  const solutions = parts.flatMap((part) => part.document.solutions.map(tidy));
  const document = parts.length === 1 ? parts[0].document : mergedDocument(parts, solutions);
  const known = parts.flatMap((part, index) => part.document.solutions.map((_, row) =>
    (items[index].length === part.document.solutions.length ? items[index][row] : undefined)));
  const answered = solutions.filter(({ cost }) => typeof cost === 'number');
  return {
    level,
    seconds,
    solutions,
    document,
    text: `${JSON.stringify(document)}\n`,
    items: known,
    inKind: parts.flatMap((part) => part.document.solutions.map(() => part.inKind ?? null)),
    solved: solutions.filter(({ status }) => status === 'solved').length,
    partial: answered.filter(({ status }) => status !== 'solved').length,
    missing: solutions.reduce((sum, solution) => sum + numberMissing(solution), 0),
    cost: answered.length ? exactSum(answered.map(({ cost }) => cost)) : null,
    routes: answered.reduce((sum, { routes }) => sum + routes.length, 0),
  };
}

/** How many are not served who should be; those who are out for their prize do not count. */
function numberMissing({ unserved }) {
  return unserved.filter(({ reason }) => reason !== 'PRIZE').length;
}

/** A solution whose parts can be relied on, whatever was sent. */
function tidy(solution) {
  return {
    ...solution,
    name: String(solution?.name ?? ''),
    status: String(solution?.status ?? 'invalid'),
    routes: listed(solution?.routes).filter((route) => Array.isArray(route?.customers)),
    warnings: listed(solution?.warnings),
    unserved: listed(solution?.unserved).filter((item) => item?.id !== undefined),
  };
}

function listed(value) {
  return Array.isArray(value) ? value : [];
}

function mergedDocument(parts, solutions) {
  const sum = (key) => exactSum(parts.map(({ document }) => Number(document.summary?.[key]) || 0));
  const seconds = sum('seconds');
  return {
    format: 'vrp-solutions/1',
    model: parts.map(({ document }) => document.model).find(Boolean) ?? null,
    summary: {
      instances: solutions.length,
      solved: sum('solved'),
      invalid: sum('invalid'),
      infeasible: sum('infeasible'),
      cost: sum('cost'),
      seconds,
      instances_per_second: seconds > 0 ? Math.round((1000 * solutions.length) / seconds) / 1000 : 0,
      improve: parts[0].document.summary?.improve,
      partial: sum('partial'),
    },
    solutions: parts.flatMap(({ document }) => document.solutions),
  };
}
