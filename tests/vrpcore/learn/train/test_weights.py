import dataclasses

import pytest
import torch

from tests.vrpcore.learn.decode.cases import SMALL
from tests.vrpcore.learn.train.runs import CPU, run, small_config
from tests.vrpcore.variants import variant_config
from vrpcore.config.sections import PolicyConfig
from vrpcore.errors import ModelError, OutputError
from vrpcore.learn.policy.checkpoint import load_checkpoint, save_checkpoint
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train.trainer import Trainer
from vrpcore.learn.train.weights import averaged_policy, check_policy, load_weights, resumed_config


def test_the_average_by_hand():
    policy = build_policy(SMALL, 1)
    average = averaged_policy(policy, 0.25)
    for value in (1.0, 12.0, 21.0, 5.0):
        with torch.no_grad():
            for parameter in policy.parameters():
                parameter.fill_(value)
        average.update_parameters(policy)
    # It begins with the first and keeps (1 + t) / (10 + t) of itself: 2/11 of 1, 10, then 1/4 of
    # 10 and of 18.25, where the decay is less.
    last = 0.25 * (0.25 * 10.0 + 0.75 * 21.0) + 0.75 * 5.0
    assert all(
        torch.allclose(part, torch.full_like(part, last)) for part in average.module.parameters()
    )
    assert averaged_policy(policy, 0.0) is None


def test_weights_of_another_size_are_refused():
    source, policy = build_policy(SMALL, 1), build_policy(SMALL, 2)
    load_weights(policy, source.state_dict(), "first")
    assert torch.equal(policy.decoder.room, source.decoder.room)
    other = build_policy(PolicyConfig(embed_dim=32, num_heads=2, num_layers=1), 1)
    with pytest.raises(ModelError, match="first: its weights do not fit this policy section"):
        load_weights(other, source.state_dict(), "first")


@pytest.mark.parametrize(
    ("found", "wanted", "message"),
    [
        (
            {"num_layers": 3, "embed_dim": 64},
            {},
            "m.pt: policy.embed_dim is 64 there and 128 here, policy.num_layers is 3 there and 6 "
            "here; train with --set policy.embed_dim=64 --set policy.num_layers=3",
        ),
        (
            {"variants": True},
            {},
            "m.pt: policy.variants is True there and False here; train with --config variants",
        ),
        (
            {"num_layers": 3},
            {"variants": True},
            "m.pt: policy.num_layers is 3 there and 6 here; train with --set policy.num_layers=3",
        ),
    ],
)
def test_another_policy_is_no_start_and_the_settings_that_fit_are_said(found, wanted, message):
    with pytest.raises(ModelError) as told:
        check_policy(PolicyConfig(**found), PolicyConfig(**wanted), "m.pt", starts=True)
    assert str(told.value) == message


def test_resume_names_what_another_network_differs_in(tmp_path):
    config = small_config(steps=1, validate_every=0)
    run(config, tmp_path)
    changed = dataclasses.replace(config, policy=dataclasses.replace(config.policy, num_layers=2))
    with pytest.raises(ModelError, match=r"last\.pt: policy\.num_layers is 1 there and 2 here; "):
        run(changed, tmp_path, resume=True)
    config = dataclasses.replace(
        variant_config(), policy=dataclasses.replace(config.policy, variants=True)
    )
    with pytest.raises(ModelError, match=r"policy\.variants is False there and True here"):
        run(config, tmp_path, resume=True)


def test_variants_may_start_from_a_plain_policy():
    check_policy(PolicyConfig(), PolicyConfig(variants=True), "m.pt", starts=True)
    check_policy(PolicyConfig(), PolicyConfig(), "m.pt")


def test_a_run_is_resumed_as_it_was_configured(tmp_path):
    config = small_config(steps=7, learning_rate=3e-3)
    Trainer(config, tmp_path, CPU, "mine").save("last.pt")
    assert resumed_config(tmp_path, {}) == (config, "mine")
    content = load_checkpoint(tmp_path / "last.pt")
    del content["training"]["window"]
    save_checkpoint(tmp_path / "last.pt", content)
    message = r"last\.pt: its run was begun by another version of vrp \(no window\) and cannot be"
    with pytest.raises(ModelError, match=message):
        resumed_config(tmp_path, {})
    del content["training"]
    save_checkpoint(tmp_path / "last.pt", content)
    with pytest.raises(
        ModelError, match=r"last\.pt: holds weights only; start a new run with --init"
    ):
        resumed_config(tmp_path, {})
    with pytest.raises(OutputError, match=r"nowhere: no run to resume; it has no last\.pt"):
        resumed_config(tmp_path / "nowhere", {})
