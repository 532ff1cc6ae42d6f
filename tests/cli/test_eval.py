import json
import pickle
import shutil

import numpy as np
import pytest
import torch

from tests.cli.runs import KOOL, one_line, vrp
from tests.export.models import save_small
from vrpcore.solve.models import shipped_models


@pytest.fixture
def measured(tmp_path):
    """Measures on a CPU; the document that it writes."""

    def run(*words):
        out = tmp_path / "eval.json"
        vrp("eval", *words, "--device", "cpu", "-o", out)
        return json.loads(out.read_text())

    return run


def test_two_models_on_the_same_instances(tmp_path):
    small, out = save_small(tmp_path / "m.pt"), tmp_path / "eval.json"
    words = ("--count", "3", "--device", "cpu", "-o", out)
    shown = vrp("eval", "base", KOOL, "uniform6", "--against", small, *words).stdout
    document = json.loads(out.read_text())
    assert [row["name"] for row in document["rows"]] == ["uniform6"] * 2 + ["kool_n20"] * 2
    base, other = document["rows"][2:]
    assert 0 <= base["gap"]["value"] < 0.1
    assert base["gap"]["error"] > 0
    assert (base["difference"], base["known"], base["unsolved"]) == (None, 3, 0)
    assert other["difference"]["value"] > 0.05  # random weights
    assert other["gap"]["value"] > base["gap"]["value"]
    assert document["rows"][0]["gap"] is None
    assert "difference" in shown
    assert shown.count(" ± ") == 4


def test_sampling_near_to_greedy_is_better(measured):
    words = ("base", KOOL, "--count", "32", "--decode", "sample", "--samples", "1")
    hot, cool = (measured(*words, "--temperature", heat)["rows"] for heat in ("2", "0.2"))
    assert cool[0]["cost"] < hot[0]["cost"]


def test_sets_of_rl4co_are_measured(tmp_path, measured):
    with np.load(KOOL) as own:
        coords, demand = own["coords"][:4], own["demand"][:4, 1:].astype(np.float32)
    file, costs = tmp_path / "vrp20.npz", []
    for found in (demand, demand / 30):
        arrays = {"locs": coords[:, 1:], "depot": coords[:, 0], "capacity": np.full(4, 30.0)}
        np.savez(file, demand=found, **arrays)
        costs.append(measured("base", file)["rows"][0]["cost"])
    assert costs == [measured("base", KOOL, "--count", 4)["rows"][0]["cost"]] * 2


@pytest.mark.parametrize(
    "save", [torch.save, lambda found, file: file.write_bytes(pickle.dumps(found))]
)
def test_pickles_are_refused_with_what_to_do(tmp_path, save):
    file = tmp_path / "data.pt"
    save({"locs": torch.zeros(2)}, file)
    said = one_line(vrp("eval", "base", file, "--device", "cpu", code=4).stderr)
    assert "save its arrays as .npz: numpy.savez(" in said


def test_a_file_is_measured_as_a_whole(tmp_path, measured):
    one = {"capacity": 9, "depot": [0, 0], "coords": [[0, 3]], "demands": [1]}
    (tmp_path / "o.json").write_text(json.dumps([one] * 200))
    shutil.copy(shipped_models()["small"].checkpoint, tmp_path / "best.pt")
    for words, counted in (((), 200), (("--count", "3"), 3)):
        (row,) = measured(tmp_path, tmp_path / "o.json", *words)["rows"]
        assert (row["instances"], row["cost"]) == (counted, 6)


def test_a_spreadsheet_is_refused_with_what_is_read(tmp_path):
    file = tmp_path / "stops.csv"
    file.write_text("id,lat,lon\n7,52.5,13.4\n")
    said = one_line(vrp("eval", "base", file, "--device", "cpu", code=4).stderr)
    assert said.startswith(f"error: {file}: a spreadsheet; expected a JSON object or list of insta")
    assert "--speed" not in said


def test_what_the_policy_does_not_cover_has_no_cost_and_a_reason(tmp_path):
    file, out = tmp_path / "own.json", tmp_path / "eval.json"
    stop = {"id": 1, "x": 0, "y": 3, "demand": 1, "prize": 9}
    file.write_text(json.dumps([{"capacity": 9, "depot": [0, 0], "customers": [stop]}]))
    found = vrp("eval", "base", file, "--device", "cpu", "-o", out)
    assert json.loads(out.read_text())["rows"][0]["cost"] is None
    assert "nan" not in found.stdout
    assert "own: 1 of 1 instances are unsolved by " in one_line(found.stderr)
    assert "the policy does not cover them, or none of its tours serves" in one_line(found.stderr)


def test_the_seed_draws_the_samples(measured):
    rows = []
    for seed in ("1", "1", "2"):
        words = ("--count", "4", "--decode", "sample", "--samples", "2", "--seed", seed)
        document = measured("base", KOOL, *words)
        assert document["decoding"]["seed"] == int(seed)
        rows.append(document["rows"][0]["cost"])
    assert rows[0] == rows[1] != rows[2]  # the same instances: only samples are drawn


def test_routes_of_instances_are_references_and_no_answers(tmp_path, measured):
    file = tmp_path / "own.json"
    plain = {"capacity": 9, "depot": [0, 0], "coords": [[0, 3], [1, 3]], "demands": [1, 1]}
    file.write_text(json.dumps([plain | {"routes": [[1], [2]]}]))
    (row,) = measured("base", file)["rows"]
    assert row["known"] == 1
    assert row["gap"]["value"] < -0.3  # one route is much shorter than two
    assert row["gap"]["error"] is None


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (["nosuch"], "nosuch", 5),
        (["base", "nosuch9"], "nosuch9", 3),
        (["base", "--temperature", "0"], "temperature", 2),
    ],
)
def test_what_is_wrong_is_said(words, said, code):
    assert said in one_line(vrp("eval", *words, "--device", "cpu", code=code).stderr)


@pytest.mark.parametrize("words", [["eval", "base"], ["bench", "solve", "uniform6"]])
def test_nothing_is_measured_where_nothing_can_be_written(words, tmp_path):
    found = vrp(*words, "-o", tmp_path / "missing" / "a.json", code=8)
    assert "a.json: cannot be written: its folder does not exist" in one_line(found.stderr)
    assert not found.stdout
