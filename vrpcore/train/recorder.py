"""Decoder steps on a CPU that keep what their gradient needs."""

import math

import torch
from torch import Tensor

from vrpcore.train.distributed import World
from vrpcore.train.tables import LEAST_LOG_ROOM, Tables, weight_table

_MASKED = -80.0  # in the pointer's softmax: far below all, yet no denormal number


class Workspace:
    """What steps and chunks share: memory, for fresh pages cost more than the arithmetic.

    Args:
        dtype: Of the products: float32 or bfloat16.
        world: The processes that learn as one.
    """

    def __init__(self, dtype: torch.dtype, world: World) -> None:
        self.dtype, self.world = dtype, world
        self._held: dict[str, Tensor] = {}

    def take(self, name: str, shape: tuple[int, ...], dtype: torch.dtype = torch.float32) -> Tensor:
        """Memory of this shape under this name; its former content is lost."""
        size = math.prod(shape)
        held = self._held.get(name)
        if held is None or held.numel() < size or held.dtype != dtype:
            held = self._held[name] = torch.empty(size, dtype=dtype)
        return held[:size].view(shape)


class Recorder:
    """Runs steps of a chunk of instances and keeps them.

    With whole loads, the weights that a room gives are a table as well, one row for each
    of its values: a step's attention is three look-ups and their product, without a
    single exponential.

    Args:
        tables: Of the chunk, detached.
        capacity: [B] float32.
        size: S, constructions of an instance that take a step together, and the most
            steps that will be taken.
        workspace: Where the recording lies; it lives until the next recorder there.

    Attributes:
        weight: [H, B, length, S, M], unnormalised attention weights, `dtype`.
        total: [H, B, length, S] float32, their sums.
        glimpse: [B, length, S, D], `dtype`.
        squash: [B, length, S, M] float32, (1 - tanh) / 2 of the pointer.
        probability: [B, length, S, M] float32.
        room: [2, B, length, S] float32, from `rooms`, to be filled before a step.
        choice: [B, length, S] int64, to be filled after it.
    """

    def __init__(
        self,
        tables: Tables,
        capacity: Tensor,
        size: tuple[int, int],
        workspace: Workspace,
    ) -> None:
        num_rows, length = size
        num_heads, batch, num_nodes, head_dim = tables.value.shape
        self.tables, self.capacity, self.workspace = tables, capacity, workspace
        dtype = self.dtype = workspace.dtype
        self.shape = (num_heads, batch, num_rows, num_nodes)
        steps, take = (batch, length, num_rows), workspace.take
        self.weight = take("weight", (num_heads, *steps, num_nodes), dtype)
        self.total = take("total", (num_heads, *steps))
        self.glimpse = take("glimpse", (*steps, num_heads * head_dim), dtype)
        self.squash = take("squash", (*steps, num_nodes))
        self.probability = take("probability", (*steps, num_nodes))
        self.room = take("room", (2, *steps))
        self.choice = take("choice", steps, torch.int64)
        # Each step's part of them, cut once.
        heads = self.glimpse.view(*steps, num_heads, head_dim).permute(3, 0, 1, 2, 4)
        weights = self.weight.view(num_heads * batch, length, num_rows, num_nodes)
        self._parts = list(
            zip(
                weights.unbind(1),
                self.total.unsqueeze(4).unbind(2),
                heads.unbind(2),
                self.glimpse.unbind(1),
                self.squash.unbind(1),
                self.probability.unbind(1),
                self.room.unbind(2),
                strict=True,
            )
        )
        self._prepare(head_dim)

    def _prepare(self, head_dim: int) -> None:
        num_heads, batch, num_rows, num_nodes = self.shape
        tables, take = self.tables, self.workspace.take
        self._near = weight_table(tables.attention)
        self._rooms = self._room_tables()
        self._value = tables.value.reshape(-1, num_nodes, head_dim).to(self.dtype)
        self._pointer = (tables.pointer * -2.0).to(self.dtype)
        self._nearness = -tables.distance
        self._node_row = (torch.arange(batch) * num_nodes).unsqueeze(1)
        self._share = take("share", (num_heads, batch * num_rows, num_nodes))
        self._share2 = take("share2", (num_heads, batch * num_rows, num_nodes))
        self._mixed = take("mixed", (num_heads * batch, num_rows, head_dim), self.dtype)
        self._pointed = take("pointed", (batch, num_rows, num_nodes), self.dtype)
        self._logit = take("logit", (batch * num_rows, num_nodes))
        self._bias = take("bias", (batch, num_rows, num_nodes))
        self._lowest = torch.full([], _MASKED)

    def _room_tables(self) -> list[Tensor]:
        """Each [H, B*(largest capacity + 1), M], weights by a room; none where too many."""
        num_heads, batch, num_rows, num_nodes = self.shape
        most = int(self.capacity.max()) + 1
        self._room_row = (torch.arange(batch) * most).unsqueeze(1)
        if most > num_rows * num_nodes:
            return []
        share = (torch.arange(most) / self.capacity.view(-1, 1)).view(1, batch, most, 1)
        return [
            weight_table(share * scores.unsqueeze(2), LEAST_LOG_ROOM).view(num_heads, -1, num_nodes)
            for scores in self.tables.room.unbind(2)
        ]

    def step(self, time: int, last: Tensor, mask: Tensor) -> Tensor:
        """The choice probabilities of one step, recorded.

        Args:
            time: Which step.
            last: [B, S] int64, where each vehicle is.
            mask: [B, S, M] float32, 1 = may be chosen, else 0.

        Returns:
            [B, S, M] float32, 0 where not allowed.
        """
        num_heads, batch, num_rows, num_nodes = self.shape
        probability: Tensor
        weight, total, heads, glimpse, squash, probability, rooms = self._parts[time]
        here = (last + self._node_row).view(-1)
        share = self._share
        torch.index_select(self._near, 1, here, out=share)
        for index, room in enumerate(rooms):
            share.mul_(self._room_weight(index, room))
        by_head = share.view(num_heads, batch, num_rows, num_nodes)
        by_head.mul_(mask)
        weight.copy_(share.view(num_heads * batch, num_rows, num_nodes))
        torch.sum(by_head, 3, keepdim=True, out=total)
        torch.bmm(weight, self._value, out=self._mixed)
        torch.div(self._mixed.view(num_heads, batch, num_rows, -1), total, out=heads)
        torch.bmm(glimpse, self._pointer, out=self._pointed)
        squash.copy_(self._pointed).sigmoid_()
        torch.add(self._lowest, mask, alpha=-_MASKED, out=self._bias)
        torch.index_select(self._nearness, 0, here, out=self._logit)
        logit = self._logit.view(batch, num_rows, num_nodes)
        # 10 tanh(u) = 10 - 20 squash; the constant cancels in the softmax.
        logit.add_(squash, alpha=-20.0).add_(self._bias)
        torch.softmax(logit, 2, out=probability)
        probability.mul_(mask)
        return probability

    def _room_weight(self, index: int, room: Tensor) -> Tensor:
        """[H, B*S, M], what a room makes of each weight."""
        if self._rooms:
            row = (room.to(torch.int64) + self._room_row).view(-1)
            return torch.index_select(self._rooms[index], 1, row, out=self._share2)
        share = (room / self.capacity.unsqueeze(1)).unsqueeze(2)
        scores = share * self.tables.room[:, :, index : index + 1]
        return weight_table(scores, LEAST_LOG_ROOM).view_as(self._share2)
