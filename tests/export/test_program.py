"""Programs of torch.export; to trace one takes up to half a minute."""

import warnings
from functools import cache

import numpy as np
import pytest
import torch
import torch._inductor

from tests.export.models import Told
from tests.vrpcore.variants import drawn
from vrpcore.arrays.batch import make_batch
from vrpcore.export import parity
from vrpcore.export.manifest import read_source
from vrpcore.export.program import export_program, open_program
from vrpcore.export.signature import example_inputs
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.solve.backend import INPUT_NAMES
from vrpcore.solve.models import checkpoint_path


@cache
def loaded(path):
    """The program of a file, and what the file says of itself."""
    said = dict.fromkeys(("format", "name", "sha256", "train_sizes", "version", "inputs"), "")
    return torch.export.load(path, extra_files=said), said


@pytest.mark.slow
@pytest.mark.parametrize(("name", "tours"), [("base", 1280), ("variants", 3840)])
def test_shipped_models_as_programs(name, tours, tmp_path, all_sizes):
    source = read_source(checkpoint_path(name))
    found = parity.write_proved(export_program, source, tmp_path / "m.pt2", open_program)
    assert found.tours == tours
    assert [path.name for path in tmp_path.iterdir()] == ["m.pt2"]


@pytest.mark.slow
def test_it_says_what_it_is_and_names_its_inputs(either):
    source, (program, said) = either.source, loaded(either["pt2"])
    assert {key: text for key, text in said.items() if text} == source.metadata
    assert program.graph_signature.user_inputs == INPUT_NAMES[source.metadata["format"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("batch_size", "num_nodes", "num_starts"), [(1, 2, 1), (1, 3, 1), (5, 30, 3)]
)
def test_every_axis_is_free(either, batch_size, num_nodes, num_starts):
    source, program = either.source, loaded(either["pt2"])[0].module()
    inputs = example_inputs(source.metadata["format"], batch_size, num_nodes, num_starts)
    for temperature in (0.0, 1.0):
        inputs["temperature"] = torch.tensor(temperature)
        with torch.no_grad():
            expected = build_rollout(source.policy)(*inputs.values())
        assert torch.equal(program(*inputs.values()), expected)


@pytest.mark.slow
def test_a_customer_nobody_can_serve_ends_no_loop(exported_variants):
    """The loop ends by its own count where a customer stays open."""
    batch = make_batch(drawn("vrptw", 1, 9))
    closing = batch.closing.copy()
    closing[0, 4] = 0.0
    batch = batch._replace(closing=closing)
    starts, seed = np.zeros((1, 1), np.int64), np.zeros(1, np.int64)
    found = open_program(exported_variants["pt2"]).construct(batch, starts, 0.0, seed)
    assert sorted(set(found.ravel())) == [0, 1, 2, 3, 5, 6, 7, 8, 9]


def test_its_stages_are_told(exported, tmp_path, monkeypatch):
    written = object()
    monkeypatch.setattr("vrpcore.export.program.build_program", lambda _: written)
    monkeypatch.setattr(torch.export, "save", lambda program, *_, **__: program is written)
    told = Told()
    export_program(exported.source, tmp_path / "m.pt2", told)
    assert told.names == ["tracing", "writing"]


@pytest.mark.slow
def test_a_program_becomes_machine_code(exported, tmp_path):
    """As docs/interface/python.md says."""
    program, package = loaded(exported["pt2"])[0], tmp_path / "m.aoti.pt2"
    inputs = example_inputs(exported.source.metadata["format"], 3, 11)
    with warnings.catch_warnings():
        # The compiler uses parts of PyTorch that PyTorch itself deprecates.
        warnings.simplefilter("ignore")
        torch._inductor.aoti_compile_and_package(program, package_path=str(package))
    found = torch._inductor.aoti_load_package(str(package))(*inputs.values())
    with torch.no_grad():
        assert torch.equal(found, build_rollout(exported.source.policy)(*inputs.values()))
