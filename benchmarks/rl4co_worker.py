"""RL4CO on the work that this project does: a script for an interpreter that has rl4co.

PYTHON rl4co_worker.py decode|train N BATCH AUGMENT REPEATS THREADS DEVICE [variants]

`decode` is greedy from all N first customers, in AUGMENT symmetric copies, of a POMO policy
with 6 layers of width 128 after a few steps of training (from random weights tours are
overlong); `train` is one whole step of it: instances, rollouts, rewards, gradients, clipping,
Adam. `variants`: its MTVRP, 16 variants mixed, instead of its CVRP. Prints one JSON line with
the medians of a pass, after one that warms up, and on CUDA the memory that it took. It
imports nothing of this project, which that interpreter need not have.
"""

import json
import logging
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

_LAYERS, _WIDTH, _HEADS = 6, 128, 8
_FIRST_STEPS, _FIRST_BATCH = 20, 32


class Pomo:
    """RL4CO's POMO with its environment and its default learning rate."""

    def __init__(self, num_customers: int, device: str, variants: bool) -> None:
        import torch
        from rl4co.envs import CVRPEnv, MTVRPEnv
        from rl4co.models import POMO

        self.starts, self.device = num_customers, torch.device(device)
        drawn: dict[str, Any] = {"num_loc": num_customers}
        if variants:
            drawn |= {"variant_preset": "all"}
        kind = MTVRPEnv if variants else CVRPEnv
        self.env = kind(generator_params=drawn, device=device)
        self.env.check_solution = False
        shape = {"num_encoder_layers": _LAYERS, "embed_dim": _WIDTH, "num_heads": _HEADS}
        self.model = POMO(self.env, policy_kwargs=shape).to(self.device)
        self.optimizer = torch.optim.Adam(self.model.policy.parameters(), lr=1e-4)

    def train_step(self, batch: int) -> None:
        """One whole step."""
        import torch
        from rl4co.utils.ops import unbatchify

        policy = self.model.policy.train()
        state = self.env.reset(batch_size=[batch]).to(self.device)
        found = policy(state, self.env, phase="train", num_starts=self.starts)
        reward, likelihood = (
            unbatchify(found[name], (0, self.starts)) for name in ("reward", "log_likelihood")
        )
        self.model.calculate_loss(state, {}, found, reward, likelihood)
        self.optimizer.zero_grad()
        found["loss"].backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        self.optimizer.step()

    def decode(self, drawn: Any, augment: int) -> Any:
        """The lowest cost of each instance."""
        import torch
        from rl4co.data.transforms import StateAugmentation
        from rl4co.utils.ops import unbatchify

        policy = self.model.policy.eval()
        with torch.inference_mode():
            state = self.env.reset(drawn.clone())
            if augment > 1:
                state = StateAugmentation(num_augment=augment, augment_fn="dihedral8")(state)
            found = policy(
                state,
                self.env,
                phase="test",
                decode_type="multistart_greedy",
                num_starts=self.starts,
            )
            reward = unbatchify(found["reward"], (augment if augment > 1 else 0, self.starts))
            return -reward.flatten(1).amax(1)

    def wait(self) -> None:
        """Returns when the device has finished."""
        import torch

        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def memory_mb(self) -> float | None:
        """The largest memory so far on CUDA."""
        import torch

        is_cuda = self.device.type == "cuda"
        return torch.cuda.max_memory_allocated(self.device) / 2**20 if is_cuda else None


def timed(work: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Median wall and CPU seconds of a pass, after one that warms up."""
    work()
    wall, cpu = [], []
    for _ in range(repeats):
        began, used = time.perf_counter(), time.process_time()
        work()
        wall.append(time.perf_counter() - began)
        cpu.append(time.process_time() - used)
    return statistics.median(wall), statistics.median(cpu)


def main() -> None:
    """Measures what the arguments say."""
    import torch

    mode = sys.argv[1]
    num_customers, batch, augment, repeats, threads = map(int, sys.argv[2:7])
    device, *more = sys.argv[7:]
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    pomo = Pomo(num_customers, device, more == ["variants"])

    def train() -> None:
        pomo.train_step(batch)
        pomo.wait()

    if mode == "train":
        wall, cpu = timed(train, repeats)
    else:
        for _ in range(_FIRST_STEPS):
            pomo.train_step(_FIRST_BATCH)
        drawn = pomo.env.generator(batch_size=[batch]).to(pomo.device)
        wall, cpu = timed(lambda: pomo.decode(drawn, augment).tolist(), repeats)
    found = {"wall_s": wall, "cpu_s": cpu, "memory_mb": pomo.memory_mb()}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
