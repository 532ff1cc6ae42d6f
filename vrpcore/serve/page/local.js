/** Solving in this browser: the exported model in a worker, no instance leaves the page. */

import { fetchModel } from './api.js';

/** Solves one instance after another; the model is fetched once. */
export class LocalSolver {
  #worker = null;
  #model = null;
  #waiting = new Map();
  #next = 0;

  /**
   * Solves a list.
   * @param {import('./instances.js').Item[]} items
   * @param {{key: string, signal: AbortSignal, onProgress: (done: number|null) => void}} options
   *   `onProgress` is told null while the model is loaded, then how many are done.
   * @returns {Promise<{text: string, document: object}>} A `vrp-solutions/1` document.
   * @throws {Error} The model cannot be fetched or run; AbortError: cancelled.
   */
  async solve(items, { key, signal, onProgress }) {
    const stop = () => this.#stop();
    signal.addEventListener('abort', stop);
    try {
      onProgress(null);
      await this.#start(key, signal);
      const begun = performance.now();
      const solutions = [];
      for (const item of items) {
        onProgress(solutions.length);
        solutions.push(item.problem
          ? await this.#ask({ kind: 'solve', problem: item.problem })
          : { name: item.name, status: 'invalid', code: item.code, error: item.error });
      }
      return this.#document(solutions, (performance.now() - begun) / 1000);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #start(key, signal) {
    if (this.#worker) return;
    const model = await fetchModel({ key, signal });
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
    try {
      this.#model = await this.#ask({ kind: 'load', model }, [model]);
    } catch (error) {
      this.#stop();
      throw error;
    }
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
  }

  #document(solutions, seconds) {
    const count = (status) => solutions.filter((one) => one.status === status).length;
    const document = {
      format: 'vrp-solutions/1',
      model: this.#model,
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
}
