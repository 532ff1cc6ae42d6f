import pytest
import torch

from vrpcore.export.signature import example_inputs
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.solve.backend import FORMAT


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch.jit, see the module
def test_the_file_is_the_whole_solve_and_says_what_it_is(exported):
    source = exported.source
    said = dict.fromkeys(source.metadata, "")
    scripted = torch.jit.load(str(exported["ts"]), _extra_files=said)
    assert {key: text.decode() for key, text in said.items()} == source.metadata
    inputs = example_inputs(FORMAT).values()
    with torch.no_grad():
        assert torch.equal(scripted(*inputs), build_rollout(source.policy)(*inputs))
