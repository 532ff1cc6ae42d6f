"""Every target takes what it begins with, and what fuzzing once found."""

import io
import itertools

import numpy as np
import pytest

from tests.fuzz import targets
from tests.fuzz.seeds import seeds


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.fixture
def made():
    """Makes targets, and ends what they began."""
    found = []

    def make(name):
        found.append(targets.TARGETS[name]())
        return found[-1]

    yield make
    for target in found:
        getattr(target, "close", lambda: None)()


@pytest.mark.parametrize("target", targets.TARGETS)
def test_seeds(made, target):
    take = made(target)
    for seed in (b"", b"\0" * 40, *seeds(target)):
        take(seed)


def test_arrays_of_any_kind_and_shape():
    """Found: text, complex numbers and wrong numbers of axes where numbers were expected."""
    for name, kind, shape in itertools.product(range(15), range(8), range(8)):
        first = bytes([name, kind, shape]) + b"\1" * 12
        assert not targets.arrays(first)
        targets.arrays(bytes([0, 0, 3]) + b"\1" * 12 + bytes([1, 2, 2]) + b"\1" * 6 + first)


def test_labels_with_objects_in_them():
    assert not targets.labels(npz(coords=np.array([{}], object), demand=np.ones(3), capacity=5))


def test_checkpoints_that_claim_what_they_do_not_hold():
    """Found: a network of terabytes, no name, sizes that are no numbers."""
    whole = targets.small_policy()
    huge = {"policy": whole["config"]["policy"] | {"embed_dim": 2**40, "num_layers": 10**6}}
    assert targets.checkpoint(targets.saved(**whole))
    for change in (
        {"config": huge},
        {"config": None},
        {"policy": dict.fromkeys(whole["policy"], 1)},
        {"policy": []},
        {"train_sizes": [1e400, None]},
    ):
        assert not targets.checkpoint(targets.saved(**whole | change))
    for missing in whole:
        rest = {key: whole[key] for key in whole if key != missing}
        assert not targets.checkpoint(targets.saved(**rest))


def test_answers_of_vrooms_that_lack_something():
    """Found: steps without distances, ids and types that are lists."""
    problem, answer = (text.decode() for text in seeds("vroom")[0].split(b"\n"))
    for old, new in (
        ('"distance": 10}]', '"way": 10}]'),
        ('"load": [1], "distance"', '"id": [1], "distance"'),
        ('"load": [1], "distance"', '"violations": [{"cause": []}], "distance"'),
    ):
        assert old in answer
        targets.vroom(f"{problem}\n{answer.replace(old, new)}".encode())
    typed = problem.replace('"skills": [1], "costs"', '"type": [1], "costs"')
    assert typed != problem
    targets.vroom(f"{typed}\n{answer}".encode())


def test_queries_that_are_not_text(made):
    """Found: bytes that are no UTF-8, and such behind a path that ends in a slash."""
    ask = made("http")
    for query in (
        b"time_limit=\xff",
        b"\xff=\xfe",
        b"seed=%ff",
        b"&&=&",
        b"augment=8&augment=\x00",
    ):
        for path in (
            b"POST v1/solve",
            b"POST v1/jobs",
            b"GET v1/jobs/",
            b"GET v1/jobs/\xff",
            b"GET \xff",
        ):
            ask(path + b"?" + query + b"\n{}")
