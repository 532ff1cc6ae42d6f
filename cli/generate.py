"""`vrp generate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.console import edge, printable, refuse, stderr_console
from vrpcore.cli.flags import Quiet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vrpcore.instance.instance import Instance

HELP = """Generate random instances, with good routes on request.

[bold]Examples[/]

  vrp generate --n 50 --count 100 -o instances.json
  vrp generate --n 20-100 --count 1000 --distribution xstyle -o mixed.jsonl
  vrp generate --n 100 --count 128 --distribution kool --seed 1234 -o kool.npz
  vrp generate --n 50 --count 5000 --label-seconds 0.2 -o labels.npz
"""


@edge()
def generate(
    output: Annotated[Path, typer.Option("-o", "--output", help=".json, .jsonl or .npz.")],
    n: Annotated[str, typer.Option("--n", help="Customers: a number, or LOW-HIGH.")] = "20",
    count: Annotated[int, typer.Option(min=0, max=10_000_000, help="Instances.")] = 100,
    capacity: Annotated[
        str, typer.Option(help="A number, by_size (the usual choice) or by_route_length.")
    ] = "by_size",
    distribution: Annotated[
        str, typer.Option(help="uniform, clustered, xstyle or kool (the field's test sets).")
    ] = "uniform",
    label_seconds: Annotated[
        float | None,
        typer.Option(min=0.001, help="Seconds of search per instance for attached routes."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Labelling threads; default: one per core.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 1234,
    quiet: Quiet = False,
) -> None:
    """Writes random instances."""
    console = stderr_console(quiet=quiet)
    low, high = _sizes(n)
    if output.suffix not in (".json", ".jsonl", ".npz"):
        refuse(f"-o {output}: expected an ending .json, .jsonl or .npz")
    from vrpcore.formats.writer import write_instances

    instances = _draw((low, high), count, _capacity(capacity), distribution, seed)
    if label_seconds is not None:
        from vrpcore.cli.bars import progress_bar
        from vrpcore.improve.label import label_instances

        with progress_bar(console) as bar:
            labelled = label_instances(instances, label_seconds, seed, workers)
            number = len(instances)
            instances = list(bar.track(labelled, total=number, description="labelling"))
    write_instances(output, instances, _known_costs(instances))
    console.print(printable(f"{output}: {len(instances)} instances"))


def _known_costs(instances: list[Instance]) -> NDArray[np.float64] | None:
    """Costs of the attached routes; None without them."""
    import numpy as np

    from vrpcore.cost.routes import route_cost

    if any(instance.routes is None for instance in instances):
        return None
    costs = [
        sum(route_cost(instance, route) for route in instance.routes or ())
        for instance in instances
    ]
    return np.array(costs)


def _sizes(text: str) -> tuple[int, int]:
    from vrpcore.instance.instance import MAX_CUSTOMERS

    low, _, high = text.partition("-")
    if not low.isdecimal() or (high and not high.isdecimal()):
        raise typer.BadParameter(f"{text!r}: expected a number or LOW-HIGH", param_hint="--n")
    sizes = int(low), int(high or low)
    if not 1 <= sizes[0] <= sizes[1] <= MAX_CUSTOMERS:
        raise typer.BadParameter(
            f"{text!r}: expected 1 <= LOW <= HIGH <= {MAX_CUSTOMERS}", param_hint="--n"
        )
    return sizes


def _capacity(text: str) -> int | str:
    if text in ("by_size", "by_route_length"):
        return text
    if text.isdecimal() and int(text) >= 9:
        return int(text)
    raise typer.BadParameter(
        f"{text!r}: expected a whole number of at least 9 (the largest random demand), by_size "
        "or by_route_length",
        param_hint="--capacity",
    )


def _draw(
    sizes: tuple[int, int], count: int, capacity: int | str, distribution: str, seed: int
) -> list[Instance]:
    import dataclasses
    from typing import cast

    import numpy as np

    from vrpcore.instance.generator import (
        DISTRIBUTIONS,
        Capacity,
        Distribution,
        as_instances,
        kool_problems,
        random_problems,
    )

    if distribution not in DISTRIBUTIONS:
        raise typer.BadParameter(
            f"{distribution!r}: expected {', '.join(DISTRIBUTIONS)}", param_hint="--distribution"
        )
    if distribution == "kool":
        if sizes[0] != sizes[1] or capacity != "by_size":
            raise typer.BadParameter(
                "kool needs a single size and sets its own capacity", param_hint="--distribution"
            )
        return as_instances(kool_problems(count, sizes[0], seed), f"kool-n{sizes[0]}")
    rng = np.random.default_rng(seed)
    name, limit = cast(Distribution, distribution), cast(Capacity, capacity)
    if sizes[0] == sizes[1]:
        problems = random_problems(name, (count, sizes[0]), limit, rng)
        return as_instances(problems, f"{distribution}-n{sizes[0]}")
    instances = []
    for index, size in enumerate(rng.integers(sizes[0], sizes[1] + 1, count)):
        (single,) = as_instances(random_problems(name, (1, int(size)), limit, rng), "one")
        instances.append(dataclasses.replace(single, name=f"{distribution}-{index}"))
    return instances
