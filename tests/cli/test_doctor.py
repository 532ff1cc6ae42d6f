"""What `vrp doctor` says, above all about the compiled training step."""

import re

import pytest
import torch

from tests.cli.runs import vrp
from vrpcore.improve import native_rules
from vrpcore.train import native


@pytest.fixture
def told():
    """The line about the training step."""

    def run():
        told = vrp("doctor", "--no-verify").stdout
        return re.search(r"^training step +(.*)$", told, re.MULTILINE)[1]

    return run


def test_the_library_in_use_is_named(told, monkeypatch):
    assert told() == f"compiled, {native.level()}"
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "DEFAULT")
    assert told() == "compiled, plain"


def test_a_missing_library_is_said_with_what_that_means(told, monkeypatch, tmp_path):
    monkeypatch.setattr(native, "library_file", lambda: tmp_path / "none.so")
    words = told()
    assert words.startswith("missing; training on a CPU is several times slower: ")
    assert "none.so" in words
    assert "install a C++ compiler" in words


def test_each_search_is_missing_alone(monkeypatch, tmp_path):
    load = native_rules.load_library
    monkeypatch.setattr(native_rules, "load_library", lambda: load(tmp_path / "none.so"))
    told = vrp("doctor", "--no-verify").stdout
    assert re.search(r"^search +compiled$", told, re.M)
    words = re.search(r"^search with constraints +(.*)$", told, re.M)[1]
    assert words.startswith("missing; depots, vehicle types, times and shipments are refused: ")
    assert "none.so" in words


def test_doctor_tells():
    result = vrp("doctor")
    assert "verified, the default" in result.stdout
    assert re.search(r"^search +compiled$", result.stdout, re.M)
    assert re.search(r"^search with constraints +compiled$", result.stdout, re.M)
    assert re.search(r"^training step +compiled, (plain|AVX2|AVX512)$", result.stdout, re.M)
