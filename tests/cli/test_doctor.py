"""What `vrp doctor` says, above all about the compiled training step."""

import importlib.metadata
import json
import re
import tomllib
from pathlib import Path

import pytest
import torch

from tests.cli.runs import one_line, vrp
from vrpcore.cli.doctor import EXTRAS
from vrpcore.learn.bench import self_test
from vrpcore.learn.policy import checkpoint
from vrpcore.learn.train import training_library
from vrpcore.search import rich_library
from vrpcore.solve import accelerator, models


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


def test_a_device_that_pytorch_cannot_use_is_said(monkeypatch):
    monkeypatch.setattr(accelerator, "cuda_device_count", lambda: 1)
    monkeypatch.setattr(accelerator, "why_not_torch", lambda: "PyTorch was built without CUDA")
    told = vrp("doctor", "--no-verify").stdout
    words = "1, not used by shipped models: PyTorch was built without CUDA"
    assert re.search(rf"^cuda devices +{words}$", told, re.M)


def test_every_extra_is_named_with_what_it_installs():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for name in ("all", "bench", "dev", "docs"):  # of all others, and of those who work on vrp
        del extras[name]
    named = {name: sorted(distributions) for name, (distributions, _) in EXTRAS.items()}
    assert named == {
        name: sorted(re.match(r"[\w-]+", each)[0] for each in needed)
        for name, needed in extras.items()
    }
    told = vrp("doctor", "--no-verify").stdout
    assert re.findall(r"^extra (\w+) ", told, re.M) == list(EXTRAS)


def test_what_an_extra_lacks_is_named(monkeypatch):
    version = importlib.metadata.version

    def found(distribution):
        if distribution in ("pyvalhalla", "xlsxwriter", "python-calamine"):
            raise importlib.metadata.PackageNotFoundError
        return "1.0" if distribution in ("filelock", "httpx2") else version(distribution)

    monkeypatch.setattr(importlib.metadata, "version", found)
    told = vrp("doctor", "--no-verify").stdout
    for words in (
        r"roads +pyvalhalla missing, needed for vrp solve --matrix \(pyvalhalla: osm=FILE, "
        r"from Python 3\.12 on, not on Windows; else see docs/interface/roads\.md\): pip ",
        "sheets +python-calamine, xlsxwriter missing, needed for .xlsx and .ods: pip install ",
    ):
        assert re.search(rf"^extra {words}", told, re.M)


def test_weights_that_differ_from_their_card_are_an_error(monkeypatch):
    monkeypatch.setattr(checkpoint, "weights_sha256", lambda _: "0" * 64)
    told = vrp("doctor", code=5)
    assert re.search(r"^model small .* DIFFERS FROM ITS CARD; card: ", told.stdout, re.M)
    assert re.search(r"^search +compiled$", told.stdout, re.M)
    words = "damaged, or not what the card says; install vrpcore again"
    assert one_line(told.stderr) == f"error: base, small, variants: {words}"


@pytest.mark.parametrize("form", ["onnx", "checkpoint"])
def test_a_file_that_is_damaged_or_missing_is_named_with_the_rest(monkeypatch, tmp_path, form):
    model = models.shipped_models()["small"]
    broken = tmp_path / getattr(model, form).name
    broken.write_bytes(b"\x08 nothing")
    for place in (broken, tmp_path / "gone"):
        card = model._replace(**{form: place})
        monkeypatch.setattr(models, "shipped_models", lambda card=card: {"small": card})
        told = vrp("doctor", code=5)
        line = re.search(r"^model small +sha256 \w+\.\.\. DAMAGED: (.*); card: ", told.stdout, re.M)
        assert str(place) in line[1]
        assert re.search(r"^search +compiled$", told.stdout, re.M)
        assert "small: damaged, or not what the card says" in one_line(told.stderr)


def test_a_self_test_prints_a_table_and_writes_a_report(tmp_path, monkeypatch):
    figures = {"identical": 1.0}
    check = self_test.Check(name="construct plain", passed=True, seconds=1.0, figures=figures)
    monkeypatch.setattr(self_test, "run_self_tests", lambda _: [check])
    words = ["doctor", "--self-test", "--device", "cpu", "--quick", "-o", tmp_path / "report.json"]
    result = vrp(*words)
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


@pytest.mark.parametrize("words", [["--device", "cpu"], ["--quick"], ["-o", "x.json"]])
def test_options_of_the_self_test_alone_are_refused(words):
    assert "belong to --self-test" in vrp("doctor", *words, code=2).stderr
