"""Random instances with all constraints, solved as users do, against a search of all answers.

python -m tests.bench.mixed_instances [--count 10000] [--seed 1] [--oracle-size 7] [--workers 2]

JSON documents of 1 to 40 stops go through the reader, the solver and the referee, and their
answers through the writer and back. Up to the oracle's size (half of them) an independent program
in plain Python says what the best answer is; beyond it, whether the reasons of who is not served
are right. What is wrong is printed with the call that makes its document again. Exits 1 if
anything is.
"""

import argparse
import json
import multiprocessing
from collections import Counter
from functools import partial

import numpy as np

from tests.vrpcore.documents import detailed_document
from tests.vrpcore.oracle import compare
from vrpcore.api import Solver, read_instances
from vrpcore.cost.check import check_solution
from vrpcore.formats.solutionio import read_solutions, solution_to_dict, solution_to_line
from vrpcore.instance.instance import InvalidInstance

LARGEST = 40
BATCH = 300


def case(seed, oracle_size):
    """Seed and size of a document: every other one is small."""
    most = oracle_size if seed % 2 else LARGEST
    return seed, 1 + seed // 2 % most


def answers(solver, instances, workers):
    """Answers, or an exception in the place of each that is none."""
    solve = partial(solver.solve, improve="fast", workers=workers)
    try:
        return solve(instances)
    except Exception:  # which one it was
        return [alone(solve, instance) for instance in instances]


def alone(solve, instance):
    """The answer to one instance, or the exception."""
    try:
        return solve([instance])[0]
    except Exception as error:
        return error


def refusals(instance, solution):
    """What reader, referee or writer have against an answer."""
    if isinstance(instance, InvalidInstance):
        return [f"reader: {instance.error}"]
    if isinstance(solution, Exception):
        return [f"crash: {type(solution).__name__}: {solution}"]
    (again,) = read_solutions(solution_to_line(solution).encode())
    found = [f"referee: {problem}" for problem in check_solution(instance, solution).problems]
    found += [f"referee: read again: {each}" for each in check_solution(instance, again).problems]
    return found + ([] if again == solution else ["writer: read again, it is another answer"])


def verdict(oracle_size, task):
    """The oracle's verdict on one answer; runs in a process of its own."""
    document, size, answer = task
    return compare(document, answer, exact=size <= oracle_size)


def judged(cases, solver, pool, args):
    """Status, faults and gap of each case."""
    documents = [detailed_document(*each) for each in cases]
    instances = read_instances(json.dumps(documents).encode())
    solutions = answers(solver, instances, args.workers)
    found = [refusals(*pair) for pair in zip(instances, solutions, strict=True)]
    tasks = [
        (document, size, solution_to_dict(solution))
        for document, (_, size), solution, faults in zip(
            documents, cases, solutions, found, strict=True
        )
        if not faults
    ]
    verdicts = iter(pool.map(partial(verdict, args.oracle_size), tasks, chunksize=8))
    for solution, faults in zip(solutions, found, strict=True):
        if faults:
            yield "none", faults, None
        else:
            own = next(verdicts)
            yield solution.status, own.faults, own.gap


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1, help="of the first document")
    parser.add_argument("--oracle-size", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    solver = Solver(device="cpu")
    status, kinds, gaps = Counter(), Counter(), []
    cases = [case(seed, args.oracle_size) for seed in range(args.seed, args.seed + args.count)]
    with multiprocessing.get_context("spawn").Pool(args.workers) as pool:
        for first in range(0, len(cases), BATCH):
            own = cases[first : first + BATCH]
            for each, (state, faults, gap) in zip(
                own, judged(own, solver, pool, args), strict=True
            ):
                status[state] += 1
                kinds.update({fault.split()[0].rstrip(":,") for fault in faults})
                for fault in faults[:3]:
                    print(f"detailed_document{each}: {fault}", flush=True)
                if gap is not None:
                    gaps.append(gap)
                    if gap > 0:
                        print(f"detailed_document{each}: {gap:.3%} above the best", flush=True)
    report(status, kinds, np.array(gaps))
    raise SystemExit(1 if kinds else 0)


def report(status, kinds, gaps):
    """The tables."""
    print("\n| status | instances |\n|---|---|")
    for name, number in status.most_common():
        print(f"| {name} | {number} |")
    print("\n| what must not be | instances |\n|---|---|")
    for name in ("reader", "crash", "referee", "writer", "left", "infeasible", "better", "reason"):
        print(f"| {NAMES[name]} | {kinds[name]} |")
    above = gaps[gaps > 0]
    print("\n| compared with the best | optimal | above | mean gap of these | largest |")
    print("|---|---|---|---|---|")
    share = 100 * np.mean(gaps == 0) if len(gaps) else np.nan
    mean, most = (above.mean(), above.max()) if len(above) else (0.0, 0.0)
    print(f"| {len(gaps)} | {share:.2f} % | {len(above)} | {mean:.3%} | {most:.3%} |")


NAMES = {
    "reader": "valid documents refused by the reader",
    "crash": "crashes",
    "referee": "answers refused by the referee",
    "writer": "answers that change when written and read",
    "left": "required left out whom the best answer serves",
    "infeasible": "`infeasible`, but all can be served",
    "better": "better than the best: an error here or there",
    "reason": "wrong reasons",
}


if __name__ == "__main__":
    main()
