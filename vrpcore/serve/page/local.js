/** Solving plain instances in this browser: the exported model in a worker, no instance leaves the page. */

import { fetchModel } from './api.js';
import { unsolved } from './policy.js';

const MAX_CUSTOMERS = 1000;

/** Solves one instance after another; the model is fetched once, when it is needed. */
export class LocalSolver {
  #worker = null;
  #model = null; // who answers
  #waiting = new Map();
  #next = 0;

  /**
   * Solves a list.
   * @param {import('./instances.js').Item[]} items
   * @param {{key: string, signal: AbortSignal, onProgress: (done: number|null) => void}} options
   *   `onProgress` is called with null while the model is loaded, then with how many are done.
   * @returns {Promise<{text: string, document: object}>} A `vrp-solutions/1` document.
   * @throws {Error} The model cannot be fetched or run; AbortError: cancelled.
   */
  async solve(items, { key, signal, onProgress }) {
    const stop = () => this.#stop();
    signal.addEventListener('abort', stop);
    try {
      onProgress(null);
      const known = items.map(solvedWithoutModel);
      const isUsed = known.includes(null);
      if (isUsed) await this.#load(key, signal);
      const begun = performance.now();
      const solutions = [];
      for (const [index, { problem }] of items.entries()) {
        onProgress(index);
        solutions.push(known[index] ?? await this.#ask({ kind: 'solve', problem }));
      }
      return documentOf(solutions, isUsed ? this.#model : null, (performance.now() - begun) / 1000);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Fetches the model and gives it to the worker. */
  async #load(key, signal) {
    if (this.#model) return;
    const model = await fetchModel({ key, signal });
    signal.throwIfAborted();
    try {
      this.#start();
      this.#model = await this.#ask({ kind: 'load', model }, [model]);
    } catch (error) {
      this.#stop(error);
      throw error;
    }
  }

  #start() {
    if (this.#worker) return;
    const worker = new Worker(new URL('./local_worker.js', import.meta.url), { type: 'module' });
    this.#worker = worker;
    worker.addEventListener('message', ({ data }) => {
      const { resolve, reject } = this.#waiting.get(data.id) ?? {};
      this.#waiting.delete(data.id);
      if (data.error === undefined) resolve?.(data.result);
      else reject?.(new Error(data.error));
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.#stop(new Error(event.message || 'the model’s program cannot be loaded'));
    });
  }

  #ask(message, transfer = []) {
    return new Promise((resolve, reject) => {
      if (!this.#worker) {
        reject(new DOMException('cancelled', 'AbortError'));
        return;
      }
      this.#next += 1;
      this.#waiting.set(this.#next, { resolve, reject });
      this.#worker.postMessage({ id: this.#next, ...message }, transfer);
    });
  }

  #stop(error = new DOMException('cancelled', 'AbortError')) {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#model = null;
  }
}

/**
 * The answer to an instance that needs no model, or that only the server solves.
 * @param {import('./instances.js').Item} item
 * @returns {object|null} null: the model solves it.
 */
export function solvedWithoutModel({ name, problem, code, error }) {
  if (!problem) return unsolved(name, 'invalid', code, error);
  const { ids, coords, constrained, lacksMatrices } = problem;
  const refused = (reason) => unsolved(name, 'partial', 'NOT_SOLVED_HERE', `${reason}. Use Solve.`);
  if (constrained) return refused('the server solves it: it has constraints, and the model here knows plain instances only');
  if (lacksMatrices) return refused('its matrices are too large for this page');
  if (ids.length > MAX_CUSTOMERS) return refused(`${ids.length} customers; at most ${MAX_CUSTOMERS} are solved here`);
  if (!coords) return refused('has distances only; the model here needs coordinates');
  return ids.length ? null : { name, status: 'solved', cost: 0, routes: [], gap: null, warnings: [] };
}

function documentOf(solutions, model, seconds) {
  const count = (status) => solutions.filter((one) => one.status === status).length;
  const document = {
    format: 'vrp-solutions/1',
    model,
    summary: {
      instances: solutions.length,
      solved: count('solved'),
      invalid: count('invalid'),
      infeasible: 0,
      cost: solutions.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
      seconds: Math.round(1000 * seconds) / 1000,
      instances_per_second: seconds > 0 ? Math.round((1000 * solutions.length) / seconds) / 1000 : 0,
      improve: 'none',
      partial: count('partial'),
    },
    solutions,
  };
  return { text: `${JSON.stringify(document)}\n`, document };
}
