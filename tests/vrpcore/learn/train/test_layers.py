import pytest
import torch

from tests.vrpcore.learn.decode.cases import SMALL
from tests.vrpcore.learn.train.cases import LAYER_SHAPES, layer_case, ragged_batch, random_batch
from tests.vrpcore.native.training.conftest import at_levels
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train.layers import encode, pass_layers
from vrpcore.learn.train.training_library import Step


def by_autograd(layers, inputs, slope):
    nodes, bias = inputs
    for layer in layers:
        nodes = layer(nodes, bias)
    return nodes, *torch.autograd.grad(nodes, [*inputs, *layers.parameters()], slope)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("shape", LAYER_SHAPES, ids=str)
@at_levels
def test_the_gradient_is_autograds(library, shape, threads):
    layers, inputs, slope = layer_case(shape)
    expected = by_autograd(layers, inputs, slope)
    step, before = Step(library.file), torch.get_num_threads()
    layers.float()
    inputs = [each.detach().float().requires_grad_() for each in inputs]
    torch.set_num_threads(threads)
    nodes = pass_layers(*inputs, layers, step)
    found = torch.autograd.grad(nodes, [*inputs, *layers.parameters()], slope.float())
    torch.set_num_threads(before)
    for one, other in zip((nodes.detach(), *found), expected, strict=True):
        assert float((one - other.detach()).abs().max()) < 2e-5 * max(
            1.0, float(other.detach().abs().max())
        )


def test_far_lower_scores_weigh_nothing():
    layers, (nodes, bias), _ = layer_case(LAYER_SHAPES[1])
    layers.float()
    low = bias.detach().float().clone()
    low[..., 3:] = -200.0
    found = pass_layers(nodes.detach().float(), low, layers, Step())
    alone = pass_layers(
        nodes[:, :3].detach().float(), low[:, :, :3, :3].contiguous(), layers, Step()
    )
    assert torch.allclose(found[:, :3], alone, atol=1e-5)


@pytest.mark.parametrize("batch", [random_batch(20), ragged_batch()], ids=["uniform", "ragged"])
@pytest.mark.parametrize(("bf16", "near"), [(False, 1e-5), (True, 0.2)], ids=str)
def test_the_cache_is_the_policys(batch, bf16, near):
    policy, inputs = build_policy(SMALL, 3), batch.inputs
    found, expected = encode(policy, inputs, Step(), bf16), policy.encode(inputs)
    for one, other in zip(found, expected, strict=True):
        assert torch.allclose(one.float(), other.float(), atol=near)
