import json

import pytest
import torch

from tests.export.models import save_small
from tests.vrpcore.learn.decode.cases import SMALL
from vrpcore.errors import ModelError, OutputError
from vrpcore.export.manifest import read_source
from vrpcore.learn.policy.checkpoint import weights_sha256
from vrpcore.version import VERSION


def test_a_source_carries_what_its_file_will_say(tmp_path):
    policy, metadata = read_source(save_small(tmp_path / "m.pt", name="eine Fl\u00e4che"))
    assert not policy.training
    assert json.loads(metadata.pop("train_sizes")) == [10, 50]
    assert metadata == {
        "format": "vrp-policy/1",
        "name": "eine Fl\u00e4che",
        "sha256": weights_sha256(policy.state_dict()),
        "version": VERSION,
    }


@pytest.mark.parametrize("sizes", [None, [10], ["ten", 50]])
def test_a_checkpoint_without_its_sizes_is_refused(tmp_path, sizes):
    with pytest.raises(ModelError, match=r"m\.pt: lacks name or train_sizes"):
        read_source(save_small(tmp_path / "m.pt", train_sizes=sizes))


def test_a_checkpoint_with_code_in_it_is_refused(tmp_path):
    torch.save({"format": "vrp-checkpoint/1", "policy": SMALL}, tmp_path / "m.pt")
    with pytest.raises(ModelError, match="holds objects other than tensors"):
        read_source(tmp_path / "m.pt")
    with pytest.raises(OutputError, match="cannot be read"):
        read_source(tmp_path / "nowhere.pt")
