"""Tours in one launch are those of the steps."""

import subprocess
from functools import partial

import pytest
import torch

from vrpcore.config.sections import PolicyConfig
from vrpcore.learn.env.inputs import plain_inputs
from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.policy.policy import build_policy

pytest.importorskip("triton")

from tests.vrpcore.learn.decode.offline import lines_of
from tests.vrpcore.learn.decode.persistent_cases import carried, program
from tests.vrpcore.learn.policy.cases import farthest_policy
from vrpcore.learn.decode import persistent

run = partial(lines_of, "tests.vrpcore.learn.decode.persistent_cases")


@pytest.mark.parametrize(
    "cases",
    [
        ("3:1", "3:1:4"),  # at once, and in two tiles
        pytest.param(("12:8",), marks=pytest.mark.slow),  # many variants
        # The last word has no tile of its own; then tiles of their usual size.
        pytest.param(("40:2:16", f"36:1:{persistent.TILE_NODES}"), marks=pytest.mark.slow),
    ],
)
def test_interpreted_tours_are_those_of_the_steps(cases):
    lines = run("cpu", *cases, TRITON_INTERPRET="1")
    assert len(lines) == 4 * len(cases)
    assert all(line.endswith(" 1.0000") for line in lines), lines


@pytest.mark.filterwarnings("ignore:TRITON_DEFAULT_FP_FUSION is unset")
@pytest.mark.parametrize("nodes", [32, pytest.param(256, marks=pytest.mark.slow)])
def test_what_a_loop_changes_is_carried_through_it(nodes):
    """Triton drops a name whose value is another's when the loop begins: see `last`."""
    plain, variants = (program(90, variants, nodes=nodes) for variants in (False, True))
    assert (carried(plain), carried(variants)) == (6, 12)


@pytest.fixture(autouse=True)
def untried(monkeypatch):
    """No program has been compared yet."""
    monkeypatch.setattr(persistent, "_WORKS", {})


SMALL_CACHE = Cache(*(torch.zeros(1) for _ in range(6)))


def constructing(count, nodes=4):
    """What constructs so many instances in one launch, given the steps."""
    inputs = plain_inputs(*(torch.zeros(count, nodes) for _ in range(4)))
    rollout = persistent.PersistentRollout(build_policy(PolicyConfig(), 0))

    def construct(steps, starts=None, temperature=0.0):
        return rollout.construct(steps, SMALL_CACHE, inputs, starts, None, temperature)

    return construct


def broken():
    raise subprocess.CalledProcessError(1, "cc")


def wrong():
    return torch.zeros(20, 10, 64, dtype=torch.int16)


def wrong_late():
    tours = torch.ones(20, 10, 64, dtype=torch.int16)
    tours[:, :, 60] = 2  # 98 % of the choices are the same
    return tours


@pytest.mark.parametrize(
    ("launched", "temperature", "words"),
    [
        (broken, 0.0, ".*cc"),
        (wrong, 0.0, "0% of its choices and 0 of its tours are those of the steps"),
        (wrong, 1.0, "0% of its choices and 0 of its tours are those of the steps"),
        (wrong_late, 0.0, "98% of its choices and 0 of its tours"),
    ],
)
def test_what_is_wrong_is_noticed_and_made_step_by_step(monkeypatch, launched, temperature, words):
    calls = []
    monkeypatch.setattr(persistent, "construct", lambda *_: calls.append(1) or launched())
    right, construct = torch.ones(20, 10, 64, dtype=torch.int64), constructing(20)
    given = (lambda *_: right, torch.ones(20, 10), temperature)
    with pytest.warns(UserWarning, match=f"constructing step by step: {words}"):
        assert construct(*given) is None
    assert construct(*given) is None
    assert calls == [1]


def test_choices_count_up_to_the_first_other_one():
    expected = torch.tensor([[[1, 0, 2, 3, 0, 0], [3, 2, 0, 1, 0, 0]]])
    other = torch.tensor([[[1, 0, 2, 3, 0], [3, 1, 0, 2, 0]]])
    # Four and one as expected, then one that is not.
    assert persistent.choices_alike(other, expected) == (5 / 6, 1)
    assert persistent.choices_alike(expected, expected) == (1.0, 2)
    nothing = torch.zeros_like(expected)
    assert persistent.choices_alike(nothing, expected) == (0.0, 0)
    assert persistent.choices_alike(nothing, nothing) == (1.0, 2)


def test_right_tours_are_compared_once_and_cut(monkeypatch):
    compared = []
    tours = torch.zeros(2, 3, 16, dtype=torch.int16)
    tours[0, 1, :6] = 1

    def steps(*_):
        compared.append(1)
        return tours[:, :, :9].long()

    monkeypatch.setattr(persistent, "construct", lambda *_: tours)
    construct = constructing(2, 8)
    for _ in range(2):
        found = construct(steps)
        assert found.dtype == torch.int64
        assert torch.equal(found, tours[:, :, :8].long())
    assert compared == [1]


def test_flags_are_packed_into_words():
    nodes = persistent.TILE_NODES + 3
    flags = torch.zeros(2, nodes, dtype=torch.bool)
    flags[0, 1] = flags[0, persistent.TILE_NODES - 1] = flags[1, -1] = True
    last = 2 + 2 ** (persistent.TILE_NODES - 1)
    assert persistent.in_words(flags, 2).tolist() == [[last, 0], [0, 4]]


def test_tiles_are_for_what_does_not_fit_at_once():
    assert "BM" in persistent.kernel_for(persistent.MOST_AT_ONCE, False)[1]
    sizes = persistent.kernel_for(persistent.MOST_AT_ONCE + 1, False)[1]
    assert sizes["BN"] * sizes["NW"] >= persistent.MOST_AT_ONCE + 1


def test_tiles_take_heads_of_a_power_of_two_and_the_decoder_that_they_know():
    three = build_policy(PolicyConfig(embed_dim=48, num_heads=3, num_layers=1), 0)
    assert persistent.knows(three, persistent.MOST_AT_ONCE)
    assert not persistent.knows(three, persistent.MOST_AT_ONCE + 1)
    assert not persistent.knows(farthest_policy(), persistent.MOST_AT_ONCE)


def test_large_instances_are_left_to_the_steps():
    assert constructing(2, persistent.MOST_NODES + 1)(None) is None


@pytest.mark.gpu
def test_tours_on_the_device_are_those_of_the_steps():
    lines = run("cuda", "10:64", "50:64", "100:32", "200:8")
    assert len(lines) == 16
    # Near-ties may fall the other way in the last bits.
    assert all(float(line.split()[-1]) > 0.98 for line in lines), lines
