import math
import re
import zipfile

import pytest
import torch

from tests.vrpcore.learn.policy.cases import SMALL
from vrpcore.config.reader import config_tree
from vrpcore.config.sections import Config
from vrpcore.errors import ModelError, OutputError
from vrpcore.learn.policy.checkpoint import (
    checkpoint_identity,
    load_checkpoint,
    policy_from_checkpoint,
    save_checkpoint,
    weights_sha256,
)
from vrpcore.learn.policy.policy import build_policy


def content():
    policy = build_policy(SMALL, 1)
    return {"config": config_tree(Config(policy=SMALL)), "policy": policy.state_dict()}


def test_checkpoints_come_back(tmp_path):
    save_checkpoint(tmp_path / "a.pt", content())
    found = policy_from_checkpoint(load_checkpoint(tmp_path / "a.pt"), "a.pt")
    assert weights_sha256(found.state_dict()) == weights_sha256(content()["policy"])
    assert not found.training
    assert [path.name for path in tmp_path.iterdir()] == ["a.pt"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("policy"), "weights do not fit its configuration"),
        (lambda c: c["policy"].pop("encoder.depot.bias"), "weights do not fit its configuration"),
        (lambda c: c["policy"]["encoder.depot.bias"].fill_(math.nan), "not all finite"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, change, message):
    changed = content()
    change(changed)
    save_checkpoint(tmp_path / "a.pt", changed)
    with pytest.raises(ModelError, match=message):
        policy_from_checkpoint(load_checkpoint(tmp_path / "a.pt"), "a.pt")


def test_what_is_no_checkpoint_is_refused(tmp_path):
    (tmp_path / "a.pt").write_text("nothing")
    with pytest.raises(
        ModelError, match=r"a\.pt: not a readable checkpoint: File is not a zip file"
    ):
        load_checkpoint(tmp_path / "a.pt")
    torch.save({"format": "another"}, tmp_path / "b.pt")
    with pytest.raises(ModelError, match="not a checkpoint of format"):
        load_checkpoint(tmp_path / "b.pt")
    with pytest.raises(OutputError, match="cannot be read"):
        load_checkpoint(tmp_path / "c.pt")
    with pytest.raises(OutputError, match="cannot be written"):
        save_checkpoint(tmp_path / "no" / "a.pt", content())


@pytest.mark.parametrize(
    ("save", "said"),
    [
        (lambda file: torch.save(torch.nn.Linear(2, 2), file), "holds objects other than tensors"),
        (lambda file: torch.jit.script(torch.nn.Linear(2, 2)).save(file), "a TorchScript file; gi"),
        (lambda file: archive(file, "m/data.pkl"), "a file of PyTorch that is damaged, or holds"),
        (lambda file: archive(file, "m/a.txt"), "an archive, but not of PyTorch; give a checkpoi"),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_other_files_are_named_without_advice_to_unpickle_them(tmp_path, save, said):
    save(tmp_path / "a.pt")
    with pytest.raises(ModelError, match=rf"a\.pt: .*{re.escape(said)}") as caught:
        load_checkpoint(tmp_path / "a.pt")
    assert "weights_only" not in str(caught.value)


def archive(file, name):
    with zipfile.ZipFile(file, "w") as made:
        made.writestr(name, "nonsense")


def test_who_a_checkpoint_is():
    known = {"name": "mine", "train_sizes": [5, 7]}
    assert checkpoint_identity(known, "a.pt") == ("mine", (5, 7))
    for change in ({"train_sizes": [5]}, {"train_sizes": "ab"}, {"train_sizes": None}):
        with pytest.raises(ModelError, match=r"a\.pt: lacks name or train_sizes \("):
            checkpoint_identity(known | change, "a.pt")
    with pytest.raises(ModelError, match="lacks name or train_sizes"):
        checkpoint_identity({"train_sizes": [5, 7]}, "a.pt")
