"""The learning rate over a run."""

import math

from vrpcore.config.sections import TrainConfig


def run_progress(train: TrainConfig, step: int, seconds: float) -> float:
    """The share of the run that is over, 0 to 1: by steps, or by the clock where that is ahead."""
    progress = step / train.steps
    if train.time_limit_s is not None:
        progress = max(progress, seconds / train.time_limit_s)
    return min(1.0, progress)


def learning_rate(train: TrainConfig, step: int, seconds: float) -> float:
    """Linear warm-up, a constant part, then a cosine down to `final_learning_rate`.

    Source:
        Loshchilov & Hutter 2017, arXiv:1608.03983.
    """
    constant = 1.0 - train.anneal
    progress = max(0.0, run_progress(train, step, seconds) - constant)
    cosine = 0.5 * (1 + math.cos(math.pi * progress / (train.anneal or 1.0)))
    share = train.final_learning_rate + (1 - train.final_learning_rate) * cosine
    warmup = min(1.0, (step + 1) / train.warmup_steps) if train.warmup_steps else 1.0
    return train.learning_rate * share * warmup
