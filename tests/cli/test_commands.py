"""The commands from outside: as processes, where that is what is tested."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.cli import runs
from tests.cli.runs import EXAMPLES, ONE
from vrpcore.export import parity


def vrp(*arguments, stdin=None, folder=None):
    """Runs the program; tests read stdout, stderr and the exit code."""
    return subprocess.run(
        [sys.executable, "-m", "vrpcore.cli", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=300,
        env={**os.environ, "COLUMNS": "200"},
    )


def loaded_modules(code):
    """Names of the modules that are loaded after running code."""
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300
    )
    return set(result.stdout.splitlines())


def test_a_solve_never_loads_torch():
    modules = loaded_modules(
        "from vrpcore.api import Solver, read_instances\n"
        f"read = read_instances({str(EXAMPLES)!r})\n"
        "for improve in ('fast', 'none'):\n"
        "    assert len(Solver(device='cpu').solve(read, improve=improve, workers=1)) == 4"
    )
    assert "onnxruntime" in modules
    assert "torch" not in modules


@pytest.mark.parametrize("command", [["solve", str(EXAMPLES), "--improve", "none"], ["doctor"]])
def test_nothing_is_left_in_the_home_folder(command, tmp_path):
    """ONNX Runtime keeps an identifier and a log there unless it is told not to."""
    ours = ("ORT_", "XDG_")
    quiet = {key: text for key, text in os.environ.items() if not key.startswith(ours)}
    env = quiet | {"HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    vrp = [sys.executable, "-m", "vrpcore.cli", *command]
    subprocess.run(vrp, capture_output=True, check=True, timeout=300, env=env)
    assert not list(tmp_path.rglob("*"))


def test_solve_and_check_the_examples(tmp_path):
    out = tmp_path / "solutions.json"
    result = vrp("solve", EXAMPLES, "-o", out)
    assert result.returncode == 0, result.stderr
    assert result.stdout == ""
    document = json.loads(out.read_text())
    assert document["format"] == "vrp-solutions/1"
    assert document["model"].keys() == {"name", "sha256", "backend", "device"}
    assert document["summary"]["solved"] == 4
    keys = "instances solved invalid infeasible cost seconds instances_per_second improve partial"
    assert list(document["summary"]) == keys.split()
    names = [solution["name"] for solution in document["solutions"]]
    assert names == ["monday-north", "tuesday-city", "paris", "one-way-streets"]
    assert runs.vrp("check", EXAMPLES, out).stdout.count("ok\t") == 4
    assert [path.name for path in tmp_path.iterdir()] == ["solutions.json"]


def test_solve_by_hand_from_stdin():
    result = runs.vrp("solve", "-", stdin=json.dumps(ONE))
    (solution,) = json.loads(result.stdout)["solutions"]
    assert solution["name"] == "instance-0"
    assert solution["status"] == "solved"
    assert solution["cost"] == 12
    assert solution["gap"] is None
    (route,) = solution["routes"]
    assert sorted(route["customers"]) == [1, 2]
    assert route["load"] == 5


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["solve", EXAMPLES, "--model", "nowhere"], 5, "is not shipped"),
        (["solve", EXAMPLES, "--model", "./nowhere.onnx"], 8, "nowhere.onnx"),
        (["solve", EXAMPLES, "--model", EXAMPLES], 5, "JSON, expected a model"),
        (["solve", EXAMPLES, "--device", "tpu"], 7, "tpu"),
        (["solve", EXAMPLES, "--augment", "9"], 2, "--augment"),
        (["solve", EXAMPLES, "--improve", "most"], 2, "--improve"),
        (["solve", EXAMPLES, "--format", "xml"], 2, "xml"),
        (["solve", EXAMPLES, "--engine", "spark"], 2, "--engine"),
        (["solve", EXAMPLES, "-o", "-"], 2, "-: without -o, answers go to stdout"),
        (["solve", EXAMPLES, "--geometry"], 2, "--geometry: needs roads, e.g. --matrix osrm="),
        (["solve"], 2, "Missing argument"),
        (["doctor", "--self-test", "--device", "cuda:99"], 7, "cuda:99 is not available"),
        (["solve", EXAMPLES, "-o", "no/such/folder/a.json"], 8, "no/such/folder"),
        (["train", "--set", "train.batchsize=3"], 3, "did you mean 'batch_size'"),
        (["train", "--config", "nowhere"], 3, "not one of the packaged"),
        (["train", "--resume", "nowhere"], 8, "nowhere"),
        (["export", "./nowhere.pt", "--onnx"], 8, "nowhere.pt"),
    ],
)
def test_errors_are_one_line_and_a_code(arguments, code, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert message in runs.one_line(runs.vrp(*arguments, code=code).stderr)
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_a_process_is_one_line_and_a_code(tmp_path):
    result = vrp("solve", EXAMPLES, "--device", "cuda:99", folder=tmp_path)
    assert result.returncode == 7
    assert "cuda:99 is not available" in result.stderr
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_generated_labels_can_be_imitated(tmp_path):
    labels, run = tmp_path / "labels.npz", tmp_path / "run"
    runs.vrp("generate", "--n", 8, "--count", 12, "--label-seconds", 0.02, "-o", labels)
    with np.load(labels) as arrays:
        assert arrays["tour"].max() == 8
        assert 1 < arrays["cost"].mean() < 9
    small = ["policy.embed_dim=16", "policy.num_layers=1", "train.steps=3", "data.holdout=4"]
    small += ["train.objective=imitate", "train.batch_size=4", "train.log_every=1"]
    runs.vrp("train", "--data", labels, "--out", run, *runs.settings(*small))
    assert (run / "best.pt").exists()


def test_train_export_solve(tmp_path, monkeypatch):
    monkeypatch.setattr(parity, "_SIZES", (10,))
    run = tmp_path / "run"
    runs.vrp("train", "--out", run, *runs.settings(*runs.TINY, "train.steps=2"))
    runs.vrp("export", run / "last.pt", "--onnx", "--torchscript", "-o", tmp_path / "exported")
    models = [run / "last.pt", *sorted((tmp_path / "exported").iterdir())]
    assert [path.suffix for path in models] == [".pt", ".onnx", ".ts"]
    answers = []
    for model in models:
        solved = runs.solve(EXAMPLES, "--model", model)
        document = json.loads(solved.stdout)
        answers.append([solution["cost"] for solution in document["solutions"]])
    assert answers[0] == pytest.approx(answers[1], rel=1e-4)
    assert answers[0] == pytest.approx(answers[2], rel=1e-4)
