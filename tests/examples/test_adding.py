"""The programs of docs/adding.md run as they stand."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.runs import vrp

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
_SECTION = re.compile(r"^## Add an? (.*?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_PROGRAM = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROGRAMS = {name: _PROGRAM.findall(text) for name, text in _SECTION.findall(PAGE)}


def test_each_kind_has_a_program_but_constraints_which_take_several_files():
    assert {name for name, found in PROGRAMS.items() if len(found) != 1} == {"constraint"}
    assert len(PROGRAMS) == 6


@pytest.mark.parametrize("name", [name for name, found in PROGRAMS.items() if found])
def test_a_program_runs_beside_the_instances(name, tmp_path, monkeypatch):
    shutil.copy(ROOT / "examples" / "instances.json", tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(compile(PROGRAMS[name][0], f"{name} in docs/adding.md", "exec"), {})  # noqa: S102


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("environment", "problem.environment=mine:ShortLegs"),
        ("decoder", "policy.decoder=mine:DeepDecoder"),
        ("objective", "train.objective=mine:LongestRoute"),
    ],
)
@pytest.mark.usefixtures("undrawn")
def test_its_class_is_trained_with_and_exported(name, setting, tmp_path, monkeypatch):
    shutil.copy(ROOT / "examples" / "instances.json", tmp_path)
    (tmp_path / "mine.py").write_text(PROGRAMS[name][0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    sizes = ("problem.num_customers=6", "train.steps=2", "train.batch_size=4", setting)
    more = ("train.validation_size=4", "train.starts=3")
    settings = [word for each in (*sizes, *more) for word in ("--set", each)]
    vrp("train", "--device", "cpu", "--out", "run", *settings)
    if not setting.startswith("train."):  # an objective has no part in a policy
        vrp("export", "run/best.pt", "--onnx", "--own", setting.partition("=")[2])
    sys.modules.pop("mine")
