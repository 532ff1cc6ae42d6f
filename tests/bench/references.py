"""Reference costs of generated sets: the better of a long HGS run and two deep searches.

python -m tests.bench.references [--sets uniform200:48:10 xstyle100:128:4]

A set is NAME:COUNT:SECONDS, seconds being HGS's (hygese) own for each instance. The sets
are drawn with `SEED`, which nothing was trained or tuned on. Writes
tests/data/references.json after each instance and goes on where it was.
"""

import json
from pathlib import Path

from benchmarks.contender import judge
from benchmarks.plain_rivals import hgs_solver
from tests.bench.arguments import arguments
from vrpcore.api import Solver
from vrpcore.bench.problem_set import generated_set

FILE = Path(__file__).parent.parent / "data" / "references.json"
SEED = 31415


def best_cost(instance, seconds, solver):
    """Lowest checked cost of all attempts."""
    routes = hgs_solver(seconds, 1, None)(instance).routes
    costs = [judge(instance, routes)[0]]
    for seed in (1, 2):
        costs.append(solver.solve([instance], improve="deep", seed=seed)[0].cost)
    return min(cost for cost in costs if cost is not None)


def main():
    args = arguments(__doc__, sets=["uniform200:48:10", "xstyle100:128:4"])
    known = json.loads(FILE.read_text()) if FILE.exists() else {}
    solver = Solver(device="cpu")
    for text in args.sets:
        name, count, seconds = text.split(":")
        for instance in generated_set(name, int(count), SEED).instances:
            if instance.name in known:
                continue
            known[instance.name] = best_cost(instance, float(seconds), solver)
            FILE.write_text(json.dumps(known, indent=0) + "\n")
            print(f"{instance.name} {known[instance.name]:.6g}", flush=True)


if __name__ == "__main__":
    main()
