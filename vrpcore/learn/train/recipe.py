"""Random instances as training draws them."""

from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.batch import make_batch, plain_batch
from vrpcore.config.sections import Capacity, Config, ProblemConfig, SizeRange
from vrpcore.errors import ConfigError
from vrpcore.instance.generator import Distribution, random_problems
from vrpcore.instance.variant_generator import Variant, find_variant, instances_of, mixed_variants
from vrpcore.learn.train.labels import Labels


class Recipe(NamedTuple):
    """Parameters for drawing random instances.

    Attributes:
        name: Of a set of them.
        size: N.
        distribution: Where their places lie.
        capacity: As `random_problems` takes it.
    """

    name: str
    size: int
    distribution: Distribution
    capacity: Capacity


def recipes(problem: ProblemConfig, size: int) -> list[Recipe]:
    """List the configured recipes of a size: each distribution, as often as named, by each rule."""
    given, rules = problem.distribution, problem.capacity
    places = [given] if isinstance(given, str) else given
    if not isinstance(rules, list):
        rules = [rules]
    elif not problem.draws_capacity_rule:
        rules = [rules[size_choices(problem).index(size)]]
    several = len(set(places)) > 1, len(set(rules)) > 1
    return [
        Recipe("-".join([f"n{size}", *compress((place, str(rule)), several)]), size, place, rule)
        for place in places
        for rule in rules
    ]


def size_choices(problem: ProblemConfig) -> list[int]:
    """The sizes that are configured; of a range the smallest and the largest."""
    sizes = problem.num_customers
    if isinstance(sizes, SizeRange):
        return [sizes.min, sizes.max]
    return [sizes] if isinstance(sizes, int) else list(sizes)


def draw_size(problem: ProblemConfig, step: int, rng: np.random.Generator) -> int:
    """N of a step's instances."""
    choices = size_choices(problem)
    grown = min(1.0, (step + 1) / problem.curriculum_steps) if problem.curriculum_steps else 1.0
    most = min(choices) + grown * (max(choices) - min(choices))
    if isinstance(problem.num_customers, SizeRange):
        # Evenly by ratio: small sizes would else be a few steps in a hundred.
        drawn = int(np.exp(rng.uniform(np.log(choices[0]), np.log(int(most) + 1))))
        return min(max(choices[0], drawn), int(most))
    choices = [size for size in choices if size <= most]
    return choices[rng.integers(len(choices))]


def draw(config: Config, recipe: Recipe, count: int, rng: np.random.Generator) -> Labels:
    """Random instances without tours.

    Args:
        config: Whether they are variants, and how demands are drawn.
        recipe: The rest.
        count: B.
        rng: Source of all randomness.

    Raises:
        ConfigError: Their capacity is below the largest demand that may be drawn.
    """
    problem, shape, place = config.problem, (count, recipe.size), recipe.distribution
    variants = _variants(problem, count, rng) if config.policy.variants else []
    problems = random_problems(place, shape, recipe.capacity, rng, problem.max_demand)
    if variants:
        batch = make_batch(instances_of(variants, problems, place, rng))
        coords: NDArray[Any] = batch.coords_unit
    else:
        coords = problems.coords
        if problem.grid is not None:
            coords = np.rint(coords * problem.grid) / problem.grid
        sizes = np.full(count, recipe.size)
        batch = plain_batch(coords, problems.demand, problems.capacity, sizes)
    return Labels(
        name=recipe.name,
        batch=batch,
        coords=coords,
        tour=np.zeros((count, 0), np.int64),
        cost=np.full(count, np.nan),
    )


def _variants(problem: ProblemConfig, count: int, rng: np.random.Generator) -> list[Variant]:
    """Variants of a batch: of all attributes, or of the configured list."""
    if problem.variants == "all":
        return mixed_variants(count, rng)
    known = []
    for name in problem.variants or []:
        variant = find_variant(name)
        if variant is None or not variant.covered:
            raise ConfigError(
                f"problem.variants: no variant {name} that policies know, expected all or names "
                "of [MD][O]VRP[B|MB][L][TW]"
            )
        known.append(variant)
    return [known[index] for index in rng.integers(len(known), size=count).tolist()]
