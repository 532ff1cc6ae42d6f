"""The decoder's gradient from a recording: a few large products for all steps at once."""

import torch
from torch import Tensor
from torch.nn import functional as F

from vrpcore.train.recorder import Recorder
from vrpcore.train.tables import Tables


def recorded_gradient(
    recorder: Recorder, steps: int, last: Tensor, weight: Tensor
) -> tuple[Tables, float]:
    """Gradient of -sum(weight * log-probability of the choice) by the decoder's tables.

    Worked out by hand, because the recording already holds every value that automatic
    differentiation would compute again and keep: only products that the gradient
    itself needs are left, each over all steps of a chunk.

    Args:
        recorder: After its steps, with `choice` filled; its recording is used up.
        steps: T, how many were taken.
        last: [B, T, S] int64, where each vehicle was before its choice.
        weight: [B, T, S] float32; 0 for choices that do not count.

    Returns:
        The gradients, shaped like the tables, and the loss.
    """
    _, batch, num_rows, num_nodes = recorder.shape
    rows, take = steps * num_rows, recorder.workspace.take
    flat = (batch, rows, num_nodes)
    factor = weight.reshape(batch, rows, 1)
    choice = recorder.choice[:, :steps].reshape(batch, rows, 1)
    probability = recorder.probability[:, :steps].view(flat)
    chosen = probability.gather(2, choice)
    loss = -float((factor * torch.where(factor != 0, chosen.log(), 0.0)).sum())
    probability.scatter_add_(2, choice, torch.full_like(chosen, -1.0))
    dlogit = torch.mul(probability, factor, out=take("dlogit", flat))
    by_node = _Bags(last.reshape(batch, rows), num_nodes)
    distance = by_node.sum(dlogit).neg_()
    squash = recorder.squash[:, :steps].view(flat)
    # 10 tanh = 10 - 20 squash, whose derivative by the pointer is 40 squash (1 - squash).
    dpointed = torch.sub(1.0, squash, out=take("dpointed", flat)).mul_(squash).mul_(dlogit)
    dpointed = _as(dpointed, recorder, "dpointed_low")
    glimpse = recorder.glimpse[:, :steps].view(batch, rows, -1)
    tables = recorder.tables
    pointer = torch.bmm(dpointed.transpose(1, 2), glimpse).transpose(1, 2).float().mul_(40.0)
    dglimpse = torch.bmm(
        dpointed,
        tables.pointer.mul(40.0).transpose(1, 2).to(recorder.dtype),
        out=take("dglimpse", (batch, rows, glimpse.shape[2]), recorder.dtype),
    )
    attention = _attention_gradient(recorder, steps, dglimpse, by_node)
    return Tables(*attention, pointer, distance), loss


def _attention_gradient(
    recorder: Recorder, steps: int, dglimpse: Tensor, by_node: "_Bags"
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of the tables `attention`, `room` and `value`.

    With w the unnormalised weights, n their sum and g = w V / n, a score's gradient is
    w ((dg / n) . V - (dg / n) . g). The last product is the same for a whole row, so it
    is one more column of dg beside one more row of ones in V.
    """
    num_heads, batch, num_rows, num_nodes = recorder.shape
    rows, dtype, take = steps * num_rows, recorder.dtype, recorder.workspace.take
    value = recorder.tables.value
    head_dim = value.shape[3]
    width = head_dim + 2  # an even number: bfloat16 products take pairs
    inverse = recorder.total[:, :, :steps].reshape(num_heads, batch, rows).reciprocal()
    by_head = (batch, rows, num_heads, head_dim)
    scaled = take("scaled", (num_heads, batch, rows, width), dtype)
    heads = dglimpse.view(by_head).permute(2, 0, 1, 3)
    torch.mul(heads, inverse.unsqueeze(3), out=scaled[..., :head_dim])
    glimpse = recorder.glimpse[:, :steps].reshape(batch, rows, -1)
    along = torch.mul(glimpse, dglimpse, out=take("along", dglimpse.shape, dtype))
    along = along.view(by_head).sum(3, dtype=torch.float32).permute(2, 0, 1)
    scaled[..., head_dim] = -along * inverse
    scaled[..., head_dim + 1] = 0.0
    across = torch.ones((num_heads, batch, width, num_nodes), dtype=dtype)
    across[:, :, :head_dim] = value.transpose(2, 3)
    room = recorder.room[:, :, :steps].reshape(2, batch, rows) / recorder.capacity.unsqueeze(1)
    room = room.transpose(0, 1).to(dtype)
    dattention = torch.empty(num_heads, batch * num_nodes, num_nodes)
    droom = torch.empty(num_heads, batch, 2, num_nodes)
    dvalue = torch.empty(value.shape)
    dscore = take("dscore", (batch, rows, num_nodes), dtype)
    for head in range(num_heads):
        weight = recorder.weight[head, :, :steps].view(batch, rows, num_nodes)
        inward = scaled[head][..., :head_dim].transpose(1, 2)
        dvalue[head] = torch.bmm(inward, weight).transpose(1, 2)
        torch.bmm(scaled[head], across[head], out=dscore)
        dscore.mul_(weight)
        droom[head] = torch.bmm(room, dscore)
        dattention[head] = by_node.sum(dscore)
    return dattention, droom, dvalue


def _as(values: Tensor, recorder: Recorder, name: str) -> Tensor:
    """The values as the recorder's products take them."""
    if recorder.dtype == values.dtype:
        return values
    return recorder.workspace.take(name, tuple(values.shape), recorder.dtype).copy_(values)


class _Bags:
    """Sums rows that were looked up at one node.

    Args:
        last: [B, rows] int64.
        num_nodes: M.
    """

    def __init__(self, last: Tensor, num_nodes: int) -> None:
        batch = len(last)
        node = (last + (torch.arange(batch) * num_nodes).unsqueeze(1)).view(-1)
        count = torch.bincount(node, minlength=batch * num_nodes)
        self.order = torch.argsort(node, stable=True)
        self.offset = count.cumsum(0) - count

    def sum(self, values: Tensor) -> Tensor:
        """[B, rows, M] contiguous -> [B*M, M]."""
        flat = values.view(-1, values.shape[2])
        return F.embedding_bag(self.order, flat, self.offset, mode="sum")
