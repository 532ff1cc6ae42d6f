"""Random documents of every format, solved as users do, against a search of all answers.

python -m tests.bench.mixed_instances [--count 20000] [--seed 1] [--level fast] [--largest 40]
       [--oracle-size 6] [--kinds subset sheet ...] [--workers 2] [-o RECORD]
python -m tests.bench.mixed_instances --show RECORD [-o RECORD]

Documents of 1 to `largest` stops go through the reader, the solver and the referee, and their
answers through the writer and back; the kinds take turns. Up to the oracle's size (half of all) an
independent program in plain Python says what the best answer is, but where a vehicle has more than
a million beginnings of routes; beyond it, whether the reasons of who is not served are right.
Answers to VROOM's problems pass the referee of such documents, too.
What is wrong is printed with the call that makes its document again. Exits 1 if anything is.
`-o` writes a record that pages of docs/results can show; `--show` prints the table of one.
"""

import json
import multiprocessing
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.vrpcore.added_days import working_document
from tests.vrpcore.documents import detailed_document, plain_document, without_roads
from tests.vrpcore.oracle import Verdict, best_answer, compare
from tests.vrpcore.oracle_routes import TooManyRoutesError
from tests.vrpcore.ride_days import ride_document
from tests.vrpcore.small_days import small_day
from tests.vrpcore.subsets import subset_day, subset_document
from tests.vrpcore.vroom_oracle import check_vroom
from tests.vrpcore.vroom_problems import FEATURES, vroom_problem
from tests.vrpcore.written import sheet_document, text_document
from vrpcore.api import Solver, read_instances
from vrpcore.errors import InstanceError
from vrpcore.formats.answers.solution_json import solution_to_dict, solution_to_line
from vrpcore.formats.options import SheetOptions
from vrpcore.formats.solutions import read_solutions
from vrpcore.formats.vroom.vroom_answer import answer_to_dict
from vrpcore.formats.write import instance_to_dict
from vrpcore.instance.instance import InvalidInstance
from vrpcore.modelling.model_solution import ModelSolution
from vrpcore.referee.referee import check_solution

BATCH = 300
KINDS = {
    "everything": "JSON that mixes all keys",
    "subset": "JSON with one to six attributes, one vehicle type in half",
    "roads": "the same, of some roads none",
    "plain": "JSON with capacity, demands and distances",
    "text": "the same as CVRPLIB's text",
    "sheet": "spreadsheets with one to six attributes",
    "ride": "JSON of all these kinds with longest rides and waits",
    "ride sheet": "spreadsheets with rides in one row each",
    "day": "JSON that mixes all keys of a working day with all others",
    "subset day": "the same, with one to seven attributes, one vehicle type in half",
    "small day": "tiny JSON documents whose limits of a working day bind",
    "vroom": "VROOM's problems with one to six features",
}
COLUMNS = (
    Column("documents"),
    Column("number"),
    Column("solved"),
    Column("compared with the best"),
    Column("best cost", "{:.2f} %"),
    Column("above", "{}, up to {:.1f} %"),
)
FAULTS = {
    "reader": "valid documents refused by the reader",
    "crash": "crashes",
    "referee": "answers refused by the referee",
    "writer": "answers that change when written and read",
    "left": "required left out that the best answer serves",
    "infeasible": "`infeasible`, but all can be served",
    "better": "better than the best: an error here or there",
    "reason": "wrong reasons",
}


class Case(NamedTuple):
    """A document as read, for the oracle (None: it cannot say it), and as VROOM's problem."""

    call: str
    small: bool
    source: dict | None
    item: object
    problem: dict | None = None


def case(kind, seed, oracle_size, largest):
    """The document of a kind and a seed; every other one is small, if not all are."""
    turn = seed // len(KINDS)
    small = turn % 2 == 1 or largest <= oracle_size
    size = 1 + turn // 2 % (oracle_size if small else largest)
    return Case(f"{kind} {seed}, {size}", small, *READERS[kind](seed, size))


def _json(draw):
    def read(seed, size):
        document = draw(seed, size)
        return document, read_instances(document)[0]

    return read


def _text(seed, size):
    document = plain_document(seed, size)
    return document, read_instances(text_document(document).encode())[0]


def _sheet(seed, size, *, rides=False):
    document, stops, vans = sheet_document(seed, max(size, 1 + rides), rides=rides)
    with tempfile.TemporaryDirectory() as folder:
        fleet = Path(folder, "vans.csv")
        fleet.write_text(vans)
        options = SheetOptions(fleet=str(fleet), decimal=".")  # 12.934 may be 12934
        return document, read_instances(stops.encode(), sheet=options)[0]


def _vroom(seed, size):
    features = [FEATURES[(seed * step) % len(FEATURES)] for step in range(1, 2 + seed % 6)]
    problem = vroom_problem(seed, size, features, 1.0)
    item = read_instances(problem)[0]
    try:
        return instance_to_dict(item), item, problem
    except InstanceError:  # its priorities count the two tasks of a shipment
        return None, item, problem


READERS = {
    "everything": _json(detailed_document),
    "subset": _json(subset_document),
    "roads": _json(lambda seed, size: without_roads(subset_document(seed, size), seed)),
    "plain": _json(plain_document),
    "text": _text,
    "sheet": _sheet,
    "ride": _json(ride_document),
    "ride sheet": partial(_sheet, rides=True),
    "day": _json(working_document),
    "subset day": _json(subset_day),
    "small day": _json(lambda seed, _: small_day(seed)),
    "vroom": _vroom,
}


def answers(solver, items, args):
    """Answers, or an exception in the place of each that is none."""
    solve = partial(solver.solve, improve=args.level, workers=args.workers)
    try:
        return solve(items)
    except Exception:  # which one it was
        return [alone(solve, item) for item in items]


def alone(solve, item):
    """The answer to one instance, or the exception."""
    try:
        return solve([item])[0]
    except Exception as error:
        return error


def refusals(each, solution):
    """What reader, referee or writer have against an answer."""
    item = each.item
    if isinstance(item, InvalidInstance):
        return [f"reader: {item.error}"]
    if isinstance(solution, Exception):
        return [f"crash: {type(solution).__name__}: {solution}"]
    (again,) = read_solutions(solution_to_line(solution).encode())
    again = ModelSolution.of(item, again)
    solution = ModelSolution.of(item, solution)
    if solution.status == "infeasible" and not solution.has_routes:  # of plain instances
        return [] if again == solution else ["writer: read again, it is another answer"]
    found = [f"referee: {problem}" for problem in check_solution(item, solution).problems]
    found += [f"referee: read again: {each}" for each in check_solution(item, again).problems]
    if each.problem is not None:
        own = json.loads(json.dumps(answer_to_dict(item, solution)))
        found += [f"referee: {problem}" for problem in check_vroom(each.problem, own)]
    return found + ([] if again == solution else ["writer: read again, it is another answer"])


def verdict(task):
    """The oracle's verdict on one answer; runs in a process of its own."""
    document, small, answer = task
    try:
        if "cost" in answer:
            return compare(document, answer, exact=small)
        served = small and not best_answer(document).missing[1]  # though `infeasible`
        return Verdict(None, ("infeasible, but not",) if served else ())
    except TooManyRoutesError:
        return verdict((document, False, answer))


def judging(cases, solver, pool, args):
    """Solves some cases and begins to judge the answers; called, gives status, faults, gaps."""
    solutions = answers(solver, [each.item for each in cases], args)
    found = [refusals(each, solution) for each, solution in zip(cases, solutions, strict=True)]
    tasks = [
        (each.source, each.small, solution_to_dict(solution))
        for each, solution, faults in zip(cases, solutions, found, strict=True)
        if each.source is not None and not faults
    ]
    pending = pool.map_async(verdict, tasks, chunksize=1)

    def judged():
        verdicts = iter(pending.get())
        for each, solution, faults in zip(cases, solutions, found, strict=True):
            status = getattr(solution, "status", "none")
            if each.source is None or faults:
                yield status, faults, None
            else:
                own = next(verdicts)
                yield status, own.faults, own.gap

    return judged


def judgings(kind, seeds, solver, pool, args):
    """Cases of a kind, some at a time, and what `judging` returns for them."""
    for at in range(0, len(seeds), BATCH):
        some = seeds[at : at + BATCH]
        cases = [case(kind, seed, args.oracle_size, args.largest) for seed in some]
        yield cases, judging(cases, solver, pool, args)


def one_ahead(items):
    """The same items; each follows once the next has been made."""
    items = iter(items)
    before = next(items)
    for item in items:
        yield before
        before = item
    yield before


def documents_of(kind, solver, pool, args):
    """What was found in all documents of a kind."""
    status, faults, above, compared = Counter(), Counter(), [], 0
    first = args.seed + list(KINDS).index(kind)
    seeds = range(first, args.seed + args.count, len(KINDS))
    for cases, judged in one_ahead(judgings(kind, seeds, solver, pool, args)):
        for each, (state, found, gap) in zip(cases, judged(), strict=True):
            status[state] += 1
            faults.update({fault.split()[0].rstrip(":,") for fault in found})
            for fault in found[:3]:
                print(f"{each.call}: {fault}", flush=True)
            compared += gap is not None
            if gap:
                above.append(gap)
                print(f"{each.call}: {gap:.3%} above the best", flush=True)
        print(f"{kind}: {status.total():,} of {len(seeds):,}", file=sys.stderr, flush=True)
    return {
        **{"documents": len(seeds), "status": dict(status), "faults": dict(faults)},
        **{"compared": compared, "above": sorted(above)},
    }


def record(found):
    """The table of a run: `command`, `machine`, `commit` and what was found in each kind."""
    faults, rows = Counter(), []
    for kind, own in found["kinds"].items():
        faults.update(own["faults"])
        compared, above = own["compared"], own["above"]
        share = 100 * (1 - len(above) / compared) if compared else "-"
        most = [len(above), 100 * max(above)] if above else "0"
        solved = own["status"].get("solved", 0)
        rows.append([KINDS[kind], own["documents"], solved, compared, share, most])
    counts = "; ".join(f"{text} {faults[name]}" for name, text in FAULTS.items())
    return PageRecord(
        command=found["command"],
        machine=found["machine"],
        commit=found.get("commit"),
        columns=COLUMNS,
        rows=rows,
        notes=[f"Documents with what must not be: {counts}."],
    )


def measured(args):
    """The run that the options ask for."""
    solver = Solver(device="cpu")
    options = f"--count {args.count} --seed {args.seed} --level {args.level}"
    options += f" --largest {args.largest} --oracle-size {args.oracle_size}"
    if args.kinds != list(KINDS):
        options += f" --kinds {' '.join(args.kinds)}"
    with multiprocessing.get_context("spawn").Pool(args.workers) as pool:
        kinds = {kind: documents_of(kind, solver, pool, args) for kind in args.kinds}
    return {**origin(f"python -m tests.bench.mixed_instances {options}"), "kinds": kinds}


def main():
    args = arguments(
        __doc__,
        count=20_000,
        seed={"type": int, "default": 1, "help": "of the first document"},
        level="fast",
        largest={"type": int, "default": 40, "help": "stops"},
        oracle_size={"type": int, "default": 6, "help": "stops"},
        kinds={"nargs": "+", "choices": KINDS, "default": list(KINDS)},
        workers=2,
        output=OUTPUT,
        show={"type": Path, "help": "a record whose table to print"},
    )
    found = json.loads(args.show.read_text()) if args.show else measured(args)
    show(record(found), args.output, kinds=found["kinds"])
    raise SystemExit(1 if any(each["faults"] for each in found["kinds"].values()) else 0)


if __name__ == "__main__":
    main()
