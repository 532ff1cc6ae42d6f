import numpy as np
import pytest

from tests.cli.runs import KOOL, one_line, vrp
from vrpcore.formats.jsonio import read_instances


@pytest.mark.parametrize("ending", ["json", "jsonl", "npz"])
def test_generate_is_reproducible(tmp_path, ending):
    files = [tmp_path / f"{name}.{ending}" for name in ("a", "b")]
    for file in files:
        vrp("generate", "--n", "5-9", "--count", 7, "--seed", 3, "-o", file)
    if ending != "npz":
        assert files[0].read_bytes() == files[1].read_bytes()
        return
    with np.load(files[0]) as first, np.load(files[1]) as second:
        assert np.array_equal(first["coords"], second["coords"])
        assert first["num_customers"].min() >= 5


def drawn(folder, *words):
    """The instances of a call."""
    vrp("generate", "-o", folder / "a.json", "--count", 30, "-q", *words)
    return read_instances(folder / "a.json")


def test_sizes_and_capacities_are_those_asked_for(tmp_path):
    sizes = {item.num_customers for item in drawn(tmp_path, "--n", "3-5", "--capacity", 12)}
    assert sizes == {3, 4, 5}
    (item, *others) = drawn(tmp_path, "--n", 7, "--capacity", 12)
    assert {(each.num_customers, each.capacity) for each in (item, *others)} == {(7, 12)}
    assert [each.name for each in (item, *others)] == [f"uniform-n7-{k}" for k in range(30)]


def test_the_fields_test_set_is_drawn_as_float32(tmp_path):
    found = drawn(tmp_path, "--n", 20, "--distribution", "kool", "--seed", 1234)
    with np.load(KOOL) as known:
        for place, item in enumerate(found[: len(known["demand"])]):
            assert np.array_equal(np.float32(item.coords), known["coords"][place])


def test_labels_are_routes_with_their_cost(tmp_path):
    (item, *_) = drawn(tmp_path, "--n", 4, "--capacity", 9, "--label-seconds", 0.01)
    assert sorted(customer for route in item.routes for customer in route) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--n", "many"], "--n: 'many': expected a number or LOW-HIGH"),
        (["--n", "5-x"], "--n: '5-x': expected a number or LOW-HIGH"),
        (["--n", "0"], "--n: '0': expected 1 <= LOW <= HIGH <= 10000"),
        (["--n", "5-10001"], "--n: '5-10001': expected 1 <= LOW <= HIGH <= 10000"),
        (["--capacity", "8"], "--capacity: '8': expected a whole number of at least 9"),
        (["--capacity", "9.5"], "--capacity: '9.5': expected a whole number of at least 9"),
        (["--distribution", "ring"], "--distribution: 'ring': expected uniform, clustered"),
        (["--distribution", "kool", "--n", "5-9"], "kool needs a single size"),
        (["--distribution", "kool", "--capacity", "50"], "sets its own capacity"),
    ],
)
def test_errors_name_the_flag(words, said, tmp_path):
    out = tmp_path / "a.json"
    assert said in one_line(vrp("generate", "-o", out, *words, code=2).stderr)
    assert not out.exists()
