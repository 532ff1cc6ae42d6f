"""Every public instance beyond capacity: read, solved, and judged by the referee and by PyVRP.

python -m tests.bench.variant_checks DATA [--families ...] [--seconds 0.2]

PyVRP judges where it can express an instance: its verdict on our routes, and its cost of them,
equal but for its whole numbers. Best known routes beside the files must be accepted by the referee
at their stated costs. A file may be refused only among those that test readers. What disagrees is
printed; exits 1 if anything does.
"""

import importlib.util
from collections import Counter

from benchmarks.pyvrp_model import pyvrp_model
from benchmarks.whole import CannotExpressError
from tests.bench.arguments import arguments
from tests.bench.variant_files import FAMILIES, READER_TESTS, read_family, stored_solution
from vrpcore.api import Solver
from vrpcore.instance.instance import InvalidInstance
from vrpcore.referee.referee import check_solution

COLUMNS = (
    "files", "refused", "solved", "partial", "referee ok", "in PyVRP", "PyVRP feasible",
    "PyVRP cost equal", "stored", "stored accepted",
)  # fmt: skip


def theirs(instance, solution):
    """PyVRP's verdict: cells to count, and what is wrong."""
    from tests.bench.pyvrp_verdict import cost_difference, is_feasible, its_solution

    if instance.constraints is None:
        return {}, None
    try:
        model = pyvrp_model(instance, lenient=True)
    except CannotExpressError:
        return {}, None
    found = its_solution(model, solution)
    feasible = is_feasible(model, solution, found)
    difference = cost_difference(model, solution, found)
    cells = {"in PyVRP": 1, "PyVRP feasible": feasible, "PyVRP cost equal": difference == 0}
    if not feasible:
        return cells, "PyVRP finds it infeasible"
    return cells, f"PyVRP's cost is off by {difference:.2e}" if difference else None


def checked(known, solver, seconds, judges):
    """Cells to count for one file, and what is wrong, in words."""
    if isinstance(known.instance, InvalidInstance):
        reason = known.instance.error
        return Counter(files=1, refused=1), [] if known.cost is None else [f"refused: {reason}"]
    options = {"time_per_instance": seconds, "workers": 1, "threads": 1}
    (solution,) = solver.solve([known.instance], **options)
    cells, faults = Counter(files=1), []
    cells[solution.status] += 1
    problems = check_solution(known.instance, solution).problems
    cells["referee ok"] += not problems
    faults += [f"referee: {problem}" for problem in problems]
    if solution.status not in ("solved", "partial"):
        faults.append(f"{solution.status}: {solution.error}")
    if judges and solution.has_routes:
        own, fault = theirs(known.instance, solution)
        cells.update(own)
        faults += [fault] if fault else []
    if (stored := stored_solution(known)) is not None:
        problems = check_solution(known.instance, stored).problems
        cells.update({"stored": 1, "stored accepted": not problems})
        faults += [f"stored: {problem}" for problem in problems]
    return cells, faults


def main():
    names = [*FAMILIES, READER_TESTS]
    args = arguments(
        __doc__,
        data=str,
        families={"nargs": "+", "default": names, "choices": names},
        count={"type": int, "help": "most instances of a family; default: all"},
        seconds={"type": float, "default": 0.2, "help": "of search, each instance"},
    )
    solver, wrong = Solver(device="cpu"), []
    judges = importlib.util.find_spec("pyvrp") is not None
    print(f"| family | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 1)}")
    for family in args.families:
        total = Counter()
        for known in read_family(args.data, family, args.count):
            cells, faults = checked(known, solver, args.seconds, judges)
            total.update(cells)
            wrong += [f"{known.file.name}: {fault}" for fault in faults]
        row = " | ".join(str(total[column]) for column in COLUMNS)
        print(f"| {family} | {row} |", flush=True)
    print("\n".join(wrong))
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
