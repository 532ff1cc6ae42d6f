"""What `vrp doctor` says, above all about the compiled training step."""

import json
import re

import pytest
import torch

from tests.cli.runs import vrp
from vrpcore.bench import self_test
from vrpcore.search import rich_library
from vrpcore.train import training_library


@pytest.fixture
def told():
    """The line about the training step."""

    def run():
        told = vrp("doctor", "--no-verify").stdout
        return re.search(r"^training step +(.*)$", told, re.MULTILINE)[1]

    return run


def test_the_library_in_use_is_named(told, monkeypatch):
    assert told() == f"compiled, {training_library.level()}"
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "DEFAULT")
    assert told() == "compiled, plain"


def test_a_missing_library_is_said_with_what_that_means(told, monkeypatch, tmp_path):
    monkeypatch.setattr(training_library, "library_file", lambda: tmp_path / "none.so")
    words = told()
    assert words.startswith("missing; training on a CPU is several times slower: ")
    assert "none.so" in words
    assert "install a C++ compiler" in words


def test_each_search_is_missing_alone(monkeypatch, tmp_path):
    load = rich_library.load_library
    monkeypatch.setattr(rich_library, "load_library", lambda *_: load(tmp_path / "none.so"))
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


def test_a_self_test_prints_a_table_and_writes_a_report(tmp_path):
    result = vrp(
        "doctor", "--self-test", "--device", "cpu", "--quick", "-o", tmp_path / "report.json"
    )
    assert "Device: cpu" in result.stdout
    assert re.search(r"construct plain +\| passed +\| [\d.]+ s +\| identical 1", result.stdout)
    assert "FAILED" not in result.stdout
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["format"], report["passed"]) == ("vrp-self-test/1", True)


def test_a_failed_self_test_is_an_error_and_still_reported(monkeypatch, tmp_path):
    check = self_test.Check(name="graphs", passed=False, seconds=1.0, figures={}, error="no")
    monkeypatch.setattr(self_test, "run_self_tests", lambda _: [check])
    words = ["doctor", "--self-test", "--device", "cpu", "-o", tmp_path / "report.json"]
    result = vrp(*words, code=1)
    assert "self-test on cpu: failed: graphs" in result.stderr
    assert re.search(r"graphs +\| FAILED +\| 1.0 s +\| no", result.stdout)
    assert not json.loads((tmp_path / "report.json").read_text())["passed"]


def test_a_self_test_without_its_device():
    result = vrp("doctor", "--self-test", "--device", "cuda:99", code=7)
    assert "cuda:99 is not available" in result.stderr


@pytest.mark.parametrize("words", [["--device", "cpu"], ["--quick"], ["-o", "x.json"]])
def test_options_of_the_self_test_alone_are_refused(words):
    assert "belong to --self-test" in vrp("doctor", *words, code=2).stderr
