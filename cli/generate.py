"""`vrp generate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import typer

from vrpcore.cli.console import Messages, bad_value, edge, refuse
from vrpcore.cli.flags import Quiet, given
from vrpcore.errors import InternalError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from vrpcore.config.sections import Capacity
    from vrpcore.instance.generator import Distribution, Problems
    from vrpcore.instance.instance import Instance
    from vrpcore.instance.plan import Route
    from vrpcore.instance.variant_generator import Variant
    from vrpcore.solve.solve_options import SolveOptions

HELP = """Generate random instances, with good routes on request, or example spreadsheets.

[bold]Examples[/]

  vrp generate --n 50 --count 100 -o instances.json
  vrp generate --n 20-100 --count 1000 --distribution xstyle -o mixed.jsonl
  vrp generate --n 100 --count 128 --distribution kool --seed 1234 -o kool.npz
  vrp generate --n 50 --count 5000 --label-seconds 0.2 -o labels.npz
  vrp generate --n 100 --variant vrptw --distribution clustered -o vrptw.json
  vrp generate --n 50 --variant mdovrpmbltw --label-seconds 5 -o many.json
  vrp solve many.json --bks many.solutions.json
  vrp generate --n 50 --variant all --count 5000 --label-seconds 0.05 -o labels.npz
  vrp generate --template csv -o today/                spreadsheets to fill in; also xlsx

[bold]Variants[/]

  cvrp, or (md)(o)vrp(b|mb)(l)(tw): three depots, open ends, pickups after
  all deliveries of a route or among them, a longest route, time windows;
  each by itself or combined (mdcvrp: only several depots). all: each of them
  with probability one half, to learn from (.npz, with labels).

  hfvrp(tw): vehicles of three sizes.

  pcvrp(tw): customers may be left out at a price.

  pdp(tw): shipments from a pickup to a delivery; --n counts both.

  mtvrp(tw): vehicles load again at the depot for second trips.

  gvrp(tw): of each few customers, one is served.

  vrpstw: windows may be missed by some time, at a price.
"""


T = TypeVar("T")
_CAPACITY_DIGITS = 15  # exact in float64
_MAX_KOOL = 1000  # customers; the published sets have 10 to 100


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """The requested instances.

    Attributes:
        sizes: Least and most customers.
        count: Of the instances.
        capacity: As `random_problems` takes it.
        distribution: Of the plain problems.
        variant: What is asked for in addition; None: all of the literature's variants.
        seed: Source of all randomness.
    """

    sizes: tuple[int, int]
    count: int
    capacity: Capacity
    distribution: Distribution
    variant: Variant | None
    seed: int

    @property
    def plain(self) -> bool:
        """Return whether no constraints are asked for."""
        return self.variant is not None and self.variant.plain


@edge()
def generate(
    context: typer.Context,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", help=".json, .jsonl, .vrp (one) or .npz; a template's folder."
        ),
    ],
    template: Annotated[
        Literal["csv", "xlsx"] | None,
        typer.Option(help="Write stops and vans, spreadsheets to fill in, into the folder."),
    ] = None,
    n: Annotated[str, typer.Option("--n", help="Customers: a number, or LOW-HIGH.")] = "20",
    count: Annotated[int, typer.Option(min=0, max=10_000_000, help="Instances.")] = 100,
    capacity: Annotated[
        str, typer.Option(help="A number, by_size (the usual choice) or by_route_length.")
    ] = "by_size",
    distribution: Annotated[
        str, typer.Option(help="uniform, clustered, xstyle or kool (the literature's test sets).")
    ] = "uniform",
    variant: Annotated[
        str, typer.Option(help="cvrp (no constraints), vrptw, ovrp, vrpb, ...: see above.")
    ] = "cvrp",
    label_seconds: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            max=1_000_000,
            help="Seconds of search per instance for good routes. They are attached to cvrp, "
            "and written to NAME.solutions.json (or .jsonl) for other variants.",
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Labelling threads; default: one per core.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Random seed.")] = 1234,
    quiet: Quiet = False,
) -> None:
    """Writes random instances."""
    messages = Messages(quiet=quiet)
    if template is not None:
        if others := sorted(given(context) - {"output", "template", "quiet"}):
            flag = others[0].replace("_", "-")
            refuse(f"--{flag}: not with --template, which draws nothing; drop one of them")
        _write_template(output, template, messages)
        return
    sizes = _sizes(n)
    if output.suffix not in (".json", ".jsonl", ".vrp", ".npz"):
        refuse(f"-o {output}: expected an ending .json, .jsonl, .vrp or .npz")
    wish = _Wish(
        sizes=sizes,
        count=count,
        capacity=_capacity(capacity),
        distribution=_distribution(distribution),
        variant=_variant(variant),
        seed=seed,
    )
    _check(wish, output)
    if output.suffix == ".vrp" and (count != 1 or label_seconds is not None or not wish.plain):
        advice = "give --count 1, without --variant and --label-seconds"
        refuse(f"-o {output}: a .vrp has one plain instance; {advice}")
    if output.suffix == ".npz" and not wish.plain and label_seconds is None:
        refuse(f"-o {output}: .npz stores variants only with labels; give --label-seconds")
    from vrpcore.formats.write import write_instances

    instances = _draw(wish)
    if output.suffix == ".npz" and not wish.plain and label_seconds is not None:
        from vrpcore.search.label import label_plans

        routes = label_plans(instances, label_seconds, seed, workers)
        _write_labels(output, instances, routes, messages)
        return
    if label_seconds is not None and wish.plain:
        from vrpcore.search.label import label_instances

        labelled = label_instances(instances, label_seconds, seed, workers)
        instances = list(_tracked(labelled, len(instances), messages))
    write_instances(output, instances, _known_costs(instances))
    messages.print(f"{output}: {len(instances)} instances")
    if label_seconds is not None and not wish.plain:
        from vrpcore.solve.solve_options import SolveOptions

        options = SolveOptions(
            improve="deep", time_per_instance=label_seconds, workers=workers, seed=seed
        )
        _write_solutions(output, instances, options, messages)


def _write_template(folder: Path, kind: str, messages: Messages) -> None:
    """Writes example spreadsheets, and says what to do with them.

    Args:
        folder: Made where it is missing.
        kind: `csv` or `xlsx`.
        messages: Where it is said.

    Raises:
        OutputError: The folder cannot be made, or has such a file, which stays as it is.
    """
    from vrpcore.formats.files import reason, write_bytes
    from vrpcore.formats.spreadsheets import template_files

    files = {folder / name: data for name, data in template_files(kind).items()}
    answer = folder / ("routes.csv" if kind == "csv" else "plan.xlsx")
    for file in files:
        if file.exists():
            raise OutputError(f"{file}: already exists; choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {reason(error)}") from None
    for file, data in files.items():
        write_bytes(file, data)
    stops, vans = map(str, files)
    messages.print(f"{stops} and {vans} are written. Fill in your own, then run")
    messages.print(f"vrp solve {stops} --fleet {vans} -o {answer}")


def _write_labels(
    output: Path,
    instances: list[Instance],
    labelled: Iterator[list[Route]],
    messages: Messages,
) -> None:
    """Writes instances of variants and the tours that a search finds, to imitate."""
    from vrpcore.learn.train.label_files import write_labels
    from vrpcore.learn.train.labels import label_arrays

    routes = list(_tracked(labelled, len(instances), messages))
    labels = label_arrays(instances, routes, output.stem)
    write_labels(output, labels)
    messages.print(f"{output}: {len(labels)} instances with tours")


def _write_solutions(
    output: Path, instances: list[Instance], options: SolveOptions, messages: Messages
) -> None:
    """Solves the instances; the answers are written with them."""
    import time

    from vrpcore.cli.solve_output import Tally, TextSink
    from vrpcore.formats.write import form_of
    from vrpcore.search import hgs_library, rich_library
    from vrpcore.solve.solver import Solver

    hgs_library.load_library()  # without it, no solve searches
    rich_library.load_libraries()
    solver, started = Solver(), time.perf_counter()
    tally = Tally(solver.models)
    path = output.with_suffix(f".solutions{output.suffix}")
    sink = TextSink(path, form_of(output.suffix[1:], tally.model))
    answers = _tracked(solver.stream(instances, options), len(instances), messages)
    for instance, answer in zip(instances, answers, strict=True):
        tally.add(sink.put(instance, answer))
    sink.end(tally.summary(time.perf_counter() - started, options.improve), complete=True)
    solved = f"{tally.status['solved']} of {tally.count} solved"
    messages.print(f"{path}: {solved}, cost {tally.cost:.6g}")
    if tally.faults:
        raise InternalError(
            f"{path}: a bug in vrp met {tally.faults} of {tally.count} answers, which say so"
        )


def _tracked(found: Iterable[T], number: int, messages: Messages) -> Iterator[T]:
    """Passes labels on as they are found, under a bar."""
    from vrpcore.cli.bars import progress_bar

    with progress_bar(messages.console) as bar:
        yield from bar.track(found, total=number, description="labelling")


def _known_costs(instances: list[Instance]) -> NDArray[np.float64] | None:
    """Costs of the attached routes; None without them."""
    import numpy as np

    from vrpcore.cost.tour_routes import route_costs

    costs = [
        sum(route_costs(instance, [route.stops for route in instance.plan.routes]))
        for instance in instances
        if instance.plan is not None
    ]
    return np.array(costs) if len(costs) == len(instances) else None


def _sizes(text: str) -> tuple[int, int]:
    from vrpcore.instance.instance import MAX_CUSTOMERS

    low, _, high = text.partition("-")
    if not low.isdecimal() or (high and not high.isdecimal()):
        raise bad_value("--n", f"{text!r}: expected a number or LOW-HIGH")
    sizes = int(low), int(high or low)
    if not 1 <= sizes[0] <= sizes[1] <= MAX_CUSTOMERS:
        raise bad_value("--n", f"{text!r}: expected 1 <= LOW <= HIGH <= {MAX_CUSTOMERS}")
    return sizes


def _capacity(text: str) -> Capacity:
    if text == "by_size":
        return "by_size"
    if text == "by_route_length":
        return "by_route_length"
    if text.isdecimal() and len(text) <= _CAPACITY_DIGITS and int(text) >= 9:
        return int(text)
    raise bad_value(
        "--capacity",
        f"{text!r}: expected a whole number of at least 9 (the largest random demand) and at most "
        f"{_CAPACITY_DIGITS} digits, by_size or by_route_length",
    )


def _distribution(text: str) -> Distribution:
    from vrpcore.instance.generator import DISTRIBUTIONS

    for distribution in DISTRIBUTIONS:
        if distribution == text:
            return distribution
    raise bad_value("--distribution", f"{text!r}: expected {', '.join(DISTRIBUTIONS)}")


def _variant(text: str) -> Variant | None:
    from vrpcore.instance.variant_generator import VARIANTS, find_variant

    if text == "all":
        return None
    variant = find_variant(text)
    if variant is None:
        raise bad_value("--variant", f"{text!r}: expected all, {', '.join(VARIANTS)}")
    return variant


def _check(wish: _Wish, output: Path) -> None:
    """Checks that what is wanted goes together, and can be written."""
    from vrpcore.cli.solve_output import require_folder
    from vrpcore.instance.instance import MAX_STOPS

    low, high = wish.sizes
    if wish.distribution == "kool" and (low != high or wish.capacity != "by_size"):
        raise bad_value("--distribution", "kool needs a single size and sets its own capacity")
    if wish.distribution == "kool" and high > _MAX_KOOL:
        raise bad_value(
            "--n", f"at most {_MAX_KOOL} customers with kool, of which 10 000 instances are drawn"
        )
    if output.suffix == ".npz" and wish.distribution == "xstyle" and wish.plain:
        refuse(f"-o {output}: .npz cannot store xstyle, whose lengths are rounded; write .json")
    require_folder(output)
    if wish.plain:
        return
    if high > MAX_STOPS:
        raise bad_value("--n", f"at most {MAX_STOPS} customers with constraints")
    if output.suffix == ".npz" and not wish.count:
        refuse(f"-o {output}: an .npz of variants has at least one instance; give --count 1")
    variant, name = wish.variant, "all" if wish.variant is None else wish.variant.name
    if output.suffix == ".npz" and variant is not None and not variant.covered:
        refuse(f"-o {output}: .npz cannot store the constraints of {name}; write .json or .jsonl")
    if wish.distribution == "xstyle":
        raise bad_value(
            "--distribution",
            f"xstyle is a recipe only of cvrp; expected uniform, clustered or kool for {name}",
        )
    if variant is not None and variant.shipments and (low % 2 or high % 2):
        raise bad_value(
            "--n", f"{name} has a pickup and a delivery for each shipment; expected even numbers"
        )


def _draw(wish: _Wish) -> list[Instance]:
    import dataclasses

    import numpy as np

    from vrpcore.instance.generator import kool_problems, random_problems

    rng, (low, high) = np.random.default_rng(wish.seed), wish.sizes
    name = "all" if wish.variant is None else wish.variant.name
    prefix = f"{'' if wish.plain else f'{name}-'}{wish.distribution}"
    if low == high:
        problems = (
            kool_problems(wish.count, low, wish.seed)
            if wish.distribution == "kool"
            else random_problems(wish.distribution, (wish.count, low), wish.capacity, rng)
        )
        return _instances(wish.variant, problems, f"{prefix}-n{low}", rng)
    shipments = wish.variant is not None and wish.variant.shipments
    instances, step = [], 2 if shipments else 1
    for index, size in enumerate(rng.integers(low // step, high // step + 1, wish.count)):
        problems = random_problems(wish.distribution, (1, int(size) * step), wish.capacity, rng)
        (single,) = _instances(wish.variant, problems, "one", rng)
        instances.append(dataclasses.replace(single, name=f"{prefix}-{index}"))
    return instances


def _instances(
    variant: Variant | None, problems: Problems, prefix: str, rng: np.random.Generator
) -> list[Instance]:
    from vrpcore.instance.generator import as_instances
    from vrpcore.instance.variant_generator import mixed_instances, variant_instances

    if variant is None:
        return mixed_instances(problems, prefix, rng)
    if variant.plain:
        return as_instances(problems, prefix)
    return variant_instances(variant, problems, prefix, rng)
