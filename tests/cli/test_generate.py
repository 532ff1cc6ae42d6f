import hashlib
import json
from unittest.mock import Mock

import numpy as np
import pytest

from tests.cli.runs import KOOL, names, one_line, vrp
from vrpcore.errors import MissingSearchError
from vrpcore.formats.read import read_instances
from vrpcore.learn.train.label_files import read_variant_labels
from vrpcore.search import label


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


def refused(*words, code=2):
    """What is said, on one line, of a call that ends with this code."""
    return one_line(vrp("generate", *words, code=code).stderr)


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


def test_nothing_is_searched_where_nothing_can_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(label, "label_instances", None)
    out = tmp_path / "missing" / "labels.npz"
    said = refused("--label-seconds", 60, "-o", out, code=8)
    assert f"{out}: cannot be written: its folder does not exist" in said


@pytest.mark.parametrize("words", [[], ["--label-seconds", 60]])
def test_arrays_cannot_hold_rounded_lengths_which_is_said_before_the_search(
    tmp_path, monkeypatch, words
):
    monkeypatch.setattr(label, "label_instances", None)
    out = tmp_path / "x.npz"
    said = f"-o {out}: .npz cannot store xstyle, whose lengths are rounded; write .json"
    assert said in refused("--distribution", "xstyle", *words, "-o", out)
    assert not names(tmp_path)


def test_labels_are_routes_with_their_cost(tmp_path):
    (item, *_) = drawn(tmp_path, "--n", 4, "--capacity", 9, "--label-seconds", 0.01)
    customers = [customer for route in item.plan.routes for customer in route.stops]
    assert sorted(customers) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--n", "many"], "--n: 'many': expected a number or LOW-HIGH"),
        (["--n", "5-x"], "--n: '5-x': expected a number or LOW-HIGH"),
        (["--n", "0"], "--n: '0': expected 1 <= LOW <= HIGH <= 100000"),
        (["--n", "5-100001"], "--n: '5-100001': expected 1 <= LOW <= HIGH <= 100000"),
        (["--n", "5-10001", "--variant", "vrptw"], "--n: at most 10000 customers with constraints"),
        (["--capacity", "8"], "--capacity: '8': expected a whole number of at least 9"),
        (["--capacity", "9.5"], "--capacity: '9.5': expected a whole number of at least 9"),
        (["--capacity", "9" * 16], "and at most 15 digits, by_size or by_route_length"),
        (["--seed", "3000000000"], "'--seed': Input should be less than or equal to 2147483647"),
        (["--distribution", "kool", "--n", "1001"], "--n: at most 1000 customers with kool"),
        (["--distribution", "ring"], "--distribution: 'ring': expected uniform, clustered"),
        (["--distribution", "kool", "--n", "5-9"], "kool needs a single size"),
        (["--distribution", "kool", "--capacity", "50"], "sets its own capacity"),
        (
            ["--variant", "vrptwl"],
            "--variant: 'vrptwl': expected all, cvrp, vrptw, vrpl, vrpltw, vrpb, ",
        ),
        (["--variant", "vrpb", "--distribution", "xstyle"], "xstyle is a recipe only of cvrp"),
        (["--label-seconds", "inf"], "'--label-seconds': Input should be less than or equal to"),
        (["--variant", "pdp", "--n", "4-9"], "--n: pdp has a pickup and a delivery for each"),
        (["--variant", "pdptw", "--n", "5"], "expected even numbers"),
    ],
)
def test_errors_name_the_flag(words, said, tmp_path):
    out = tmp_path / "a.json"
    assert said in refused("-o", out, *words)
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "digest"),
    [
        (["--n", 9, "--seed", 3], "b2f710299d98d7d0"),
        (["--n", "5-9", "--capacity", "by_route_length"], "3eff751a4d1c1497"),
    ],
)
def test_plain_files_stay_the_same_to_the_byte(words, digest, tmp_path):
    vrp("generate", "-o", tmp_path / "a.json", "--count", 5, *words)
    vrp("generate", "-o", tmp_path / "b.json", "--count", 5, "--variant", "CVRP", *words)
    data = (tmp_path / "a.json").read_bytes()
    assert hashlib.sha256(data).hexdigest()[:16] == digest
    assert (tmp_path / "b.json").read_bytes() == data


@pytest.mark.parametrize("sizes", ["8", "4-8"])
@pytest.mark.parametrize("variant", ["MDOVRPMBLTW", "hfvrp", "pcvrptw", "pdptw", "ovrp", "gvrp"])
def test_variants_are_reproducible(tmp_path, variant, sizes):
    files = [tmp_path / f"{name}.jsonl" for name in "ab"]
    for file in files:
        vrp("generate", "--n", sizes, "--count", 7, "--variant", variant, "--seed", 3, "-o", file)
    assert files[0].read_bytes() == files[1].read_bytes()
    found = read_instances(files[0])
    assert {item.num_customers for item in found} <= {*range(4, 9)}
    assert len({item.name for item in found}) == 7
    assert found[0].name == f"{variant.lower()}-uniform{'-n8' * (sizes == '8')}-0"
    assert all(item.constraints is not None for item in found)


@pytest.mark.parametrize("variant", ["mtvrp", "mtvrptw", "gvrp", "gvrptw", "vrpstw"])
def test_variants_of_a_working_day_are_solved(tmp_path, variant):
    file, plan = tmp_path / "a.json", tmp_path / "plan.json"
    vrp("generate", "--n", "8-20", "--count", 2, "--variant", variant, "-o", file)
    vrp("solve", file, "--device", "cpu", "-o", plan)
    vrp("check", file, plan)
    items = read_instances(file)
    for item, answer in zip(items, json.loads(plan.read_text())["solutions"], strict=True):
        assert answer["status"] == "solved"
        served = sum(len(route["customers"]) for route in answer["routes"])
        groups = item.own_constraints.groups
        assert served == (len(groups) or item.num_customers)
        said = {"mt": "reloads", "vr": "late"}.get(variant[:2], "customers")
        assert all(said in route for route in answer["routes"])


def test_capacities_and_positions_of_variants(tmp_path):
    (item, *_) = drawn(tmp_path, "--n", 7, "--variant", "vrptw", "--capacity", 12)
    assert (item.capacity, item.own_constraints.listed_vehicles) == (12, False)
    (kool, *_) = drawn(tmp_path, "--n", 20, "--variant", "vrptw", "--distribution", "kool")
    (plain, *_) = drawn(tmp_path, "--n", 20, "--distribution", "kool")
    assert np.array_equal(kool.coords, plain.coords)
    assert np.array_equal(kool.demand, plain.demand)


def test_arrays_hold_labelled_variants_of_the_field_alone(tmp_path):
    output = ["-o", tmp_path / "a.npz", "--variant"]
    for name in ("hfvrp", "mtvrp", "gvrp", "vrpstw"):
        said = f".npz cannot store the constraints of {name}; write .json"
        assert said in refused(*output, name)
    assert "only with labels; give --label-seconds" in refused(*output, "vrpl")
    said = refused(*output, "vrpl", "--count", 0, "--label-seconds", 1)
    assert "an .npz of variants has at least one instance; give --count 1" in said
    assert not names(tmp_path)
    for name in ("vrpl", "all"):
        vrp("generate", *output, name, "--n", 6, "--count", 5, "--label-seconds", 0.01)
        assert len(read_variant_labels(str(tmp_path / "a.npz"))) == 5


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_solutions_of_variants_are_references(tmp_path, ending):
    many, answers = tmp_path / f"a.{ending}", tmp_path / f"a.solutions.{ending}"
    words = ["--variant", "vrptw", "--n", 6, "--count", 3, "--label-seconds", 0.05]
    told = vrp("generate", *words, "-o", many).stderr
    assert names(tmp_path) == [many.name, answers.name]
    assert f"{answers}: 3 of 3 solved" in one_line(told)
    vrp("check", many, answers)
    solved = json.loads(vrp("solve", many, "--bks", answers, "--device", "cpu").stdout)
    assert all(abs(item["gap"]) < 0.5 for item in solved["solutions"])


@pytest.mark.parametrize("library", ["hgs_library", "rich_library"])
def test_labels_of_variants_need_both_searches(library, tmp_path, monkeypatch):
    missing = Mock(side_effect=MissingSearchError("not there"))
    monkeypatch.setattr(f"vrpcore.search.{library}.load_library", missing)
    words = ["--variant", "ovrp", "--count", 2, "--label-seconds", 1]
    assert "not there" in refused(*words, "-o", tmp_path / "a.json")
    assert names(tmp_path) == ["a.json"]


def test_one_instance_as_vrp(tmp_path):
    file = tmp_path / "a.vrp"
    vrp("generate", "--n", 5, "--count", 1, "-o", file)
    (found,) = read_instances(file)
    assert (found.num_customers, found.constraints) == (5, None)
    said = "-o a.vrp: a .vrp has one plain instance; give --count 1, without --variant and --label"
    one = ["--count", 1]
    for words in (["--count", 2], [*one, "--label-seconds", 1], [*one, "--variant", "ovrp"]):
        assert said in refused("--n", 5, *words, "-o", "a.vrp")


@pytest.mark.parametrize("words", [["--count", 5], ["--variant", "cvrp"], ["--label-seconds", 1]])
def test_a_template_draws_nothing(tmp_path, words):
    said = refused("--template", "csv", "-o", tmp_path / "today", *words)
    assert f"{words[0]}: not with --template, which draws nothing" in said
    assert not names(tmp_path)


def test_a_template_leaves_files_that_are_there(tmp_path):
    (tmp_path / "vans.csv").write_text("mine")
    said = refused("--template", "csv", "-o", tmp_path, code=8)
    assert "vans.csv: already exists; choose another folder" in said
    assert names(tmp_path) == ["vans.csv"]
    assert (tmp_path / "vans.csv").read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    said = refused("--template", "csv", "-o", tmp_path / "file" / "today", code=8)
    assert "today: cannot be written: " in said
