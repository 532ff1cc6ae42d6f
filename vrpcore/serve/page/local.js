/** Solving in this browser: exported models in a worker, no instance leaves the page. */

import { fetchModel } from './api.js';
import { notSolvedHere, planOf } from './coverage.js';

// Files of the server: that of plain instances, and of the field's variants. The first that is
// used is named in the answer.
const MODELS = ['model', 'variants'];

/** Solves one instance after another; each model is fetched once, when it is needed. */
export class LocalSolver {
  #worker = null;
  #models = new Map(); // by name, who answers; null: the server has no such model
  #waiting = new Map();
  #next = 0;

  /**
   * Solves a list.
   * @param {import('./instances.js').Item[]} items
   * @param {{key: string, signal: AbortSignal, onProgress: (done: number|null) => void}} options
   *   `onProgress` is told null while models are loaded, then how many are done.
   * @returns {Promise<{text: string, document: object}>} A `vrp-solutions/1` document.
   * @throws {Error} The model cannot be fetched or run; AbortError: cancelled.
   */
  async solve(items, { key, signal, onProgress }) {
    const stop = () => this.#stop();
    signal.addEventListener('abort', stop);
    try {
      onProgress(null);
      const plans = items.map(planOf);
      const used = MODELS.filter((name) => plans.some(({ model }) => model === name));
      for (const name of used) await this.#load(name, key, signal);
      const begun = performance.now();
      const solutions = [];
      for (const plan of plans) {
        onProgress(solutions.length);
        solutions.push(plan.solution ?? await this.#run(plan));
      }
      const identity = used.map((name) => this.#models.get(name)).find(Boolean) ?? null;
      return documentOf(solutions, identity, (performance.now() - begun) / 1000);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #run({ model, problem, rules }) {
    if (this.#models.get(model)) return this.#ask({ kind: 'solve', name: model, problem, rules });
    return notSolvedHere(problem.name, 'this server offers no model for depots, vehicles and times');
  }

  /** Fetches a model and gives it to the worker; null where the server has none of variants. */
  async #load(name, key, signal) {
    if (this.#models.get(name)) return;
    let model;
    try {
      model = await fetchModel(name, { key, signal });
    } catch (error) {
      if (name !== 'variants' || error.code !== 'NO_MODEL') throw error;
      this.#models.set(name, null);
      return;
    }
    signal.throwIfAborted();
    try {
      this.#start();
      this.#models.set(name, await this.#ask({ kind: 'load', name, model }, [model]));
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
    this.#models.clear();
  }
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
