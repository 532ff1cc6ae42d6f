import importlib.util
import json

import pytest
from typer.testing import CliRunner

from vrpcore.api import Solver, read_instances, usable_options
from vrpcore.cli.main import app
from vrpcore.errors import ConfigError, ModelError
from vrpcore.solve.options import SolveOptions

ONE = {"capacity": 5, "depot": [0, 0], "coords": [[3, 4], [3, 0]], "demands": [2, 3]}


@pytest.fixture
def without_pyvrp(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "pyvrp" else find(name)
    )


def test_solves_parsed_instances():
    (answer,) = Solver(device="cpu").solve(read_instances([ONE]), time_limit_s=None)
    assert (answer.status, answer.cost) == ("solved", 12.0)


def test_an_empty_list_is_solved():
    assert Solver(device="cpu").solve(read_instances([])) == []


def test_without_its_extra_nothing_improves_and_that_is_said(without_pyvrp, tmp_path):
    assert usable_options(SolveOptions()).improve == "none"
    (tmp_path / "one.json").write_text(json.dumps(ONE))
    result = CliRunner().invoke(app, ["solve", str(tmp_path / "one.json"), "--device", "cpu"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["summary"]["improve"] == "none"
    assert "the extra 'improve' is not installed" in result.stderr


def test_model_names_and_options_are_checked():
    with pytest.raises(ModelError, match="'large' is not shipped"):
        Solver("large")
    with pytest.raises(ConfigError, match="augment: 9 is not between 1 and 8"):
        Solver(device="cpu").solve([], augment=9)
