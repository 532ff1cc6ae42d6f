from pathlib import Path

import numpy as np
import pytest
import torch

from vrpcore.api import Solver, load_policy, read_instances
from vrpcore.bench.problem_set import generated_set
from vrpcore.errors import ConfigError, InstanceError, ModelError, ShapeError
from vrpcore.instance.generator import as_instances, random_problems
from vrpcore.instance.variant_generator import instances_of, mixed_variants


def plain(count=3, size=9):
    return list(generated_set(f"uniform{size}", count, 5).instances)


def variants(count=4, size=8):
    rng = np.random.default_rng(3)
    problems = random_problems("uniform", (count, size), "by_size", rng)
    return instances_of(mixed_variants(count, rng), problems, "drawn", rng)


@pytest.fixture(scope="module")
def base():
    return load_policy("base", "cpu")


def test_it_constructs_what_a_solve_does(base):
    instances = plain()
    found = base.solve(instances)
    assert found.nodes.shape[:2] == found.costs.shape == (3, 9)
    assert [set(range(10)) == set(tour) for tour in found.nodes[:, 0].tolist()] == [True] * 3
    answers = Solver("base", "cpu").solve(instances, improve="none", starts=9)
    assert [answer.cost for answer in answers] == pytest.approx(found.costs.min(1).tolist())


def test_it_says_what_it_is(base):
    number = sum(each.numel() for each in base.network.parameters())
    assert repr(base) == f"LoadedPolicy({number:,} parameters, cpu)"


def test_sizes_may_differ_and_starts_repeat(base):
    small, large = plain(1, 4), plain(1, 9)
    found = base.solve([*small, *large], starts=6)
    assert (found.nodes[0, :2] == found.nodes[0, 4:]).all()
    alone = base.solve(small, starts=4)
    assert found.costs[0, :4] == pytest.approx(alone.costs[0])


@pytest.mark.parametrize("kind", ["base", "variants"])
def test_samples_and_their_likelihood(base, kind):
    policy = base if kind == "base" else load_policy("variants", "cpu")
    instances = plain() if kind == "base" else variants()
    found = policy.solve(instances, starts=5, temperature=1.0, seed=1)
    assert (found.nodes == policy.solve(instances, starts=5, temperature=1.0, seed=1).nodes).all()
    other = policy.solve(instances, starts=5, temperature=1.0, seed=2).nodes
    length = min(other.shape[2], found.nodes.shape[2])
    assert (found.nodes[..., :length] != other[..., :length]).any()
    likelihood = policy.log_likelihood(instances, found.nodes)
    assert likelihood.shape == found.costs.shape
    assert (likelihood <= 0).all()
    logits, choice = policy.scores(instances, found.nodes)
    assert logits.shape[:3] == choice.shape
    chosen = torch.log_softmax(logits, 3).gather(3, choice.unsqueeze(3)).squeeze(3)
    # What follows the last customer counts nothing.
    assert (chosen.sum(2) <= likelihood + 1e-4).all()


def test_it_learns_like_any_module(base):
    policy = load_policy("base", "cpu")
    instances = plain(2)
    tours = policy.solve(instances, starts=4, temperature=1.0).nodes
    optimizer = torch.optim.SGD(policy.network.parameters(), lr=1e-7)
    before = policy.log_likelihood(instances, tours)
    (-before.sum()).backward()
    optimizer.step()
    assert policy.log_likelihood(instances, tours).sum() > before.sum()
    unchanged = base.log_likelihood(instances, tours)
    assert torch.allclose(unchanged, before)


def test_the_script_of_the_docs(monkeypatch):
    root = Path(__file__).parents[4]
    text = (root / "docs/interface/python.md").read_text(encoding="utf-8")
    (script,) = (part.split("```")[0] for part in text.split("```python")[1:] if "loss" in part)
    monkeypatch.chdir(root)
    names = {}
    exec(script, names)  # noqa: S102
    gradients = [part.grad for part in names["policy"].network.parameters()]
    assert all(bool(torch.isfinite(gradient).all()) for gradient in gradients)
    assert names["logits"].shape[:3] == names["choice"].shape


def test_what_a_policy_does_not_know(base):
    with pytest.raises(InstanceError, match="the policy does not cover it: constraints"):
        base.solve(variants(1))
    with pytest.raises(ModelError):
        load_policy("nosuch")


def test_plain_instances_of_a_policy_of_variants():
    (instance,) = as_instances(
        random_problems("uniform", (1, 6), "by_size", np.random.default_rng(1)), "plain"
    )
    found = load_policy("variants", "cpu").solve([instance])
    assert found.costs.shape == (1, 6)


def test_what_was_read_may_be_invalid_or_empty(base):
    document = {"capacity": 3, "depot": [0, 0], "coords": [[0, 1]], "demands": [1]}
    wrong, empty = document | {"capacity": -3}, document | {"coords": [], "demands": []}
    for documents, words in (
        ([document, wrong], "invalid: .*capacity"),
        ([document, empty], "the policy does not cover it: no customers"),
    ):
        instances = [each for one in documents for each in read_instances(one)]
        with pytest.raises(InstanceError, match=words):
            base.solve(instances)
    with pytest.raises(InstanceError, match="instances: none, expected at least one"):
        base.solve([])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"starts": 0}, "starts: 0 is not between 1 and 10000"),
        ({"temperature": -1.0}, r"temperature: -1.0 is not between 0.01 and 100.0"),
        ({"temperature": float("nan")}, "temperature: nan is not between"),
        ({"temperature": 1e6}, "temperature: 1000000.0 is not between"),
        ({"seed": 1.5}, "seed: 1.5 is not a whole number"),
        ({"seed": np.float64(2)}, r"seed: np.float64\(2.0\) is not a whole number"),
        ({"starts": 2.5}, "starts: 2.5 is not a whole number"),
        ({"seed": 10**15}, "seed: 1000000000000000 is not between 0 and 2147483647"),
    ],
)
def test_numbers_out_of_range(base, options, words):
    with pytest.raises(ConfigError, match=words):
        base.solve(plain(1, 4), **options)


def test_whole_numbers_of_numpy_are_taken(base):
    found = base.solve(plain(1, 4), starts=np.int64(2), temperature=1.0, seed=np.int32(7))
    assert (found.nodes == base.solve(plain(1, 4), starts=2, temperature=1.0, seed=7).nodes).all()


@pytest.mark.parametrize("kind", ["base", "variants"])
def test_given_tours_serve_each_customer_once(base, kind):
    policy = base if kind == "base" else load_policy("variants", "cpu")
    instances = plain(2, 4) if kind == "base" else variants(2, 4)
    nodes = policy.solve(instances, starts=2).nodes
    assert policy.log_likelihood(instances, torch.from_numpy(nodes)).shape == (2, 2)
    last = nodes[1, 1].max()
    for wrong in (0, last - 1, last + 1, -1):
        changed = nodes.copy()
        changed[1, 1][changed[1, 1] == last] = wrong
        for use in (policy.log_likelihood, policy.scores):
            words = r"nodes\[1\]\[1\]: expected a tour with each customer once, and no others"
            with pytest.raises(ShapeError, match=words):
                use(instances, changed)
    for array in (nodes[0], nodes[:1], nodes.astype(float)):
        with pytest.raises(ShapeError, match=r"nodes: an array \[.*expected \[2, S, T\] of integ"):
            policy.scores(instances, array)
