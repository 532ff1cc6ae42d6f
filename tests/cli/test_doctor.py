"""What `vrp doctor` says about the compiled training step."""

import re

import pytest
import torch
from typer.testing import CliRunner

from vrpcore.cli.main import app
from vrpcore.train import native


@pytest.fixture
def told():
    """The line about the training step."""

    def run():
        result = CliRunner().invoke(app, ["doctor", "--no-verify"])
        assert result.exit_code == 0, result.output
        return re.search(r"^training step +(.*)$", result.stdout, re.MULTILINE)[1]

    return run


def test_the_library_in_use_is_named(told, monkeypatch):
    assert told() == f"compiled, {native.level()}"
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "DEFAULT")
    assert told() == "compiled, plain"


def test_a_missing_library_is_said_with_what_that_means(told, monkeypatch, tmp_path):
    monkeypatch.setattr(native, "library_file", lambda: tmp_path / "none.so")
    words = told()
    assert words.startswith("missing, training on a CPU takes several times as long: ")
    assert "none.so" in words
    assert "install a C++ compiler" in words
