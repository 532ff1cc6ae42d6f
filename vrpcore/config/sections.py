"""The sections of a training configuration: frozen dataclasses with their ranges."""

import re
from dataclasses import dataclass, field
from typing import Literal

from vrpcore.errors import ConfigError

# Of a vehicle: a number, or a rule by which it is drawn.
Capacity = int | Literal["by_size", "by_route_length"]
# Policies compare loads in float32, which is exact for whole numbers up to here. By route length a
# vehicle holds up to 25 mean demands.
MOST_CAPACITY, _MOST_DEMAND = 2**24 - 1, 500_000


_OWN = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ConfigError(message)


def _require_own(key: str, name: str | None, known: str = "null") -> None:
    """Raises unless a name is none, or that of a class; it is imported later."""
    _require(
        name is None or _OWN.fullmatch(name) is not None,
        f"{key}: expected {known}, or a class of your own as package.module:Class, found {name!r}",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeRange:
    """Sizes from `min` to `max`, inclusive, log-uniform (10-20 as often as 100-200)."""

    min: int
    max: int

    def __post_init__(self) -> None:
        _require(1 <= self.min <= self.max, f"min {self.min}, max {self.max}: need 1 <= min <= max")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemConfig:
    """Random problems to train on.

    Attributes:
        num_customers: One size, a list of sizes, or a range; each step draws one.
        curriculum_steps: Steps over which the upper limit of the drawn sizes grows from the
            smallest to the largest; 0: all sizes from the start.
        capacity: One for all sizes, a list matching a list of sizes, `by_size` (the
            field's usual values) or `by_route_length`, or a list of both, of which each step draws
            one; each vehicle must hold the largest demand that may be drawn, as `random_problems`
            checks. At most 2^24 - 1; the number of customers times `max_demand` never binds.
        distribution: One, or a list; each step draws one.
        max_demand: Demands are whole numbers from 1 to this (`xstyle` has its own).
        grid: Coordinates are multiples of 1 / grid; None for real numbers.
        variants: Names of the literature's variants, or `all`: each attribute with probability one
            half. None: plain instances.
        environment: A class of your own in which tours are constructed, `package.module:Class`;
            None: the package's.
    """

    num_customers: int | list[int] | SizeRange = 20
    capacity: Capacity | list[Capacity] = "by_size"
    distribution: (
        Literal["uniform", "clustered", "xstyle"] | list[Literal["uniform", "clustered", "xstyle"]]
    ) = "uniform"
    curriculum_steps: int = 0
    max_demand: int = 9
    grid: int | None = None
    variants: Literal["all"] | list[str] | None = None
    environment: str | None = None

    def __post_init__(self) -> None:
        _require_own("environment", self.environment)
        sizes = self.num_customers
        if isinstance(sizes, SizeRange):
            sizes = [sizes.min]
        sizes = [sizes] if isinstance(sizes, int) else sizes
        _require(bool(sizes) and min(sizes) >= 1, "num_customers: need sizes of at least 1")
        if isinstance(self.capacity, list) and not self.draws_capacity_rule:
            numbers = not any(isinstance(it, str) for it in self.capacity)
            fits = isinstance(self.num_customers, list) and len(self.capacity) == len(set(sizes))
            _require(
                fits and numbers and len(set(sizes)) == len(sizes),
                "capacity: a list of numbers needs a list of as many num_customers, all different; "
                "a list of by_size and by_route_length has no numbers",
            )
        given = self.capacity if isinstance(self.capacity, list) else [self.capacity]
        _require(
            all(isinstance(it, str) or it <= MOST_CAPACITY for it in given),
            f"capacity: must be at most {MOST_CAPACITY}, up to which policies count exactly; "
            "num_customers x max_demand is enough for one that never binds",
        )
        demands = f"max_demand: must be in 1..{_MOST_DEMAND}"
        _require(1 <= self.max_demand <= _MOST_DEMAND, demands)
        _require(self.curriculum_steps >= 0, "curriculum_steps: must not be negative")
        _require(self.distribution != [], "distribution: the list is empty")
        _require(self.grid is None or self.grid >= 1, "grid: must be at least 1")
        _require(self.variants != [], "variants: the list is empty")
        _require(self.variants is None or self.grid is None, "grid: variants take none")

    @property
    def draws_capacity_rule(self) -> bool:
        """Return whether each step draws one of several rules."""
        rules = self.capacity
        return isinstance(rules, list) and bool(rules) and all(isinstance(it, str) for it in rules)


_LARGEST_POLICY = {
    "embed_dim": 8192, "num_heads": 512, "num_layers": 128, "feedforward_dim": 65_536,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyConfig:
    """Sizes of the network, and what it knows.

    Attributes:
        embed_dim: Width of the embeddings.
        num_heads: Attention heads.
        num_layers: Layers of the encoder.
        feedforward_dim: Width between the two products of a layer.
        variants: It knows the literature's variants; False: only plain instances.
        encoder: A class of your own, `package.module:Class`; None: the package's.
        decoder: The same.
    """

    embed_dim: int = 128
    num_heads: int = 8
    num_layers: int = 6
    feedforward_dim: int = 512
    variants: bool = False
    encoder: str | None = None
    decoder: str | None = None

    def __post_init__(self) -> None:
        _require_own("encoder", self.encoder)
        _require_own("decoder", self.decoder)
        for name, most in _LARGEST_POLICY.items():
            _require(1 <= getattr(self, name) <= most, f"{name}: must be in 1..{most}")
        _require(
            self.embed_dim % self.num_heads == 0,
            f"embed_dim: {self.embed_dim} is not a multiple of num_heads {self.num_heads}",
        )


def own_names(policy: PolicyConfig, problem: ProblemConfig) -> dict[str, str]:
    """The classes of the user's own code that a policy is made of, by their keys."""
    named = {
        "policy.encoder": policy.encoder,
        "policy.decoder": policy.decoder,
        "problem.environment": problem.environment,
    }
    return {key: name for key, name in named.items() if name is not None}


OBJECTIVES = ("prefer", "reinforce", "imitate")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """Options of a training run.

    Attributes:
        objective: `prefer`: of two sampled tours of an instance, the cheaper one shall be the
            more likely; `reinforce`: each counts by how much cheaper it is than expected;
            `imitate`: given routes shall be likely (needs data with routes);
            `package.module:Class`: a class of your own gives the costs for `reinforce`.
        baseline: `multistart`: the mean cost over the starts of the instance; `rollout`: a
            greedy copy of the policy, replaced at a validation if a one-sided paired
            t-test finds the new one better; `ema`: a moving average of the cost, for each set and
            size. For `reinforce`.
        leader: Factor on the advantage of each instance's best start, if that is positive; 1: all
            starts count alike. Above 1, training improves the best start rather than the mean. For
            `reinforce` and `prefer`.
        improve: Search iterations for each customer on the cheapest sampled tour of an instance;
            what they find is preferred to those that were sampled. 0: none. For `prefer`.
        batch_size: Instances per step at `batch_at_size` customers, per process.
        batch_at_size: None: `batch_size` at every size. A number: larger sizes take
            proportionally smaller batches (and smaller sizes larger ones), so that
            steps cost about the same.
        accumulate: Batches per optimizer step.
        starts: Starts per instance; `auto`: all up to 20 customers, 20 beyond.
        orders: Random orderings of the routes imitated per visit of an instance.
        steps: Optimizer steps; the schedule ends there.
        patience: Stop after this many validations in a row without improvement; None:
            never.
        time_limit_s: Stop after this many seconds; the schedule then follows the clock.
        warmup_steps: Steps over which the learning rate rises to its value.
        anneal: Share of the run, at its end, over which the learning rate falls; the
            rest is constant. Use 0 for all parts of a long training but the last.
        final_learning_rate: Share of the learning rate left at the end of the cosine.
        ema_decay: Of a moving average of the weights; the better of it and the weights themselves
            is saved. 0: there is none.
        compile: `auto`: always on CUDA; not on a CPU, where it gained nothing.
        rollout: `loop`: a compiled step, for a CPU; `two_phase`: construction without
            gradients, then one teacher-forced pass, for an accelerator; `auto`: the faster
            of the two on the device.
        recompute: Recompute the encoder layers in the backward pass instead of keeping them:
            less memory for large instances, about a quarter more time.
        profile: Write a profile of steps 8 to 10 into the run folder.
        save_every: Steps between checkpoints `last.pt`.
        keep_every: Steps between checkpoints that stay, such as `step-0005000.pt`; 0: none.
        trackers: Services that take numbers and pictures, each with an extra of its name; null:
            TensorBoard where it is installed.
        validate_every: Steps between validations; 0 = never.
        validation_size: Instances in the fixed validation set of each file, and of each random
            size together; of sizes above `batch_at_size` proportionally fewer, as of batches.
    """

    objective: Literal["prefer", "reinforce", "imitate"] | str = "reinforce"
    baseline: Literal["multistart", "rollout", "ema"] = "multistart"
    leader: float = 1.0
    improve: int = 0
    batch_size: int = 64
    batch_at_size: int | None = None
    accumulate: int = 1
    starts: int | Literal["auto"] = "auto"
    orders: int = 4
    steps: int = 2000
    time_limit_s: float | None = None
    patience: int | None = None
    learning_rate: float = 5.0e-4
    anneal: float = 1.0
    final_learning_rate: float = 0.01
    warmup_steps: int = 50
    weight_decay: float = 0.0
    clip_norm: float = 1.0
    ema_decay: float = 0.0
    seed: int = 1234
    compile: Literal["auto"] | bool = "auto"
    precision: Literal["auto", "fp32", "tf32", "bf16"] = "auto"
    rollout: Literal["auto", "loop", "two_phase"] = "auto"
    recompute: bool = False
    profile: bool = False
    log_every: int = 10
    save_every: int = 200
    keep_every: int = 0
    trackers: list[Literal["tensorboard", "wandb", "mlflow"]] | None = None
    validate_every: int = 200
    validation_size: int = 256

    @property
    def own_objective(self) -> str | None:
        """The name of the user's own objective; None where it is one of the package's."""
        return None if self.objective in OBJECTIVES else self.objective

    def __post_init__(self) -> None:
        _require_own("objective", self.own_objective, " | ".join(OBJECTIVES))
        for name in (
            "batch_size",
            "accumulate",
            "steps",
            "log_every",
            "save_every",
            "validation_size",
            "orders",
        ):
            _require(getattr(self, name) >= 1, f"{name}: must be at least 1")
        for name in (
            "warmup_steps",
            "validate_every",
            "weight_decay",
            "seed",
            "improve",
            "keep_every",
        ):
            _require(getattr(self, name) >= 0, f"{name}: must not be negative")
        for name in ("learning_rate", "clip_norm"):
            _require(getattr(self, name) > 0, f"{name}: must be positive")
        for name in ("batch_at_size", "time_limit_s", "patience"):
            value = getattr(self, name)
            _require(value is None or value > 0, f"{name}: must be positive, or null")
        _require(0 <= self.ema_decay < 1, "ema_decay: must lie in [0, 1)")
        for name in ("final_learning_rate", "anneal"):
            _require(0 <= getattr(self, name) <= 1, f"{name}: must lie in [0, 1]")
        _require(self.seed < 2**31, "seed: must be below 2^31")
        _require(self.leader >= 1, "leader: must be at least 1")
        _require(
            self.objective not in ("prefer", "imitate") or self.baseline == "multistart",
            f"baseline: {self.baseline} is only for reinforce; {self.objective} has none",
        )
        if self.objective != "prefer":
            _require(
                self.improve == 0,
                f"improve: only for prefer; {self.objective} needs improve: 0",
            )
        _require(
            self.baseline != "rollout" or self.validate_every > 0,
            "baseline: rollout compares at validations; set validate_every",
        )
        _require(
            self.patience is None or self.validate_every > 0,
            "patience: counts validations; set validate_every",
        )
        if self.starts != "auto":
            compares = self.objective != "imitate" and self.baseline == "multistart"
            least = 2 if compares else 1
            _require(self.starts >= least, f"starts: must be at least {least}, or auto")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataConfig:
    """Source and preparation of the instances.

    Attributes:
        file: Your own instances, one file or several; None: only the generator.
        mix: Share of the steps that read `file`; the others draw from the generator.
        holdout: Instances of each file, kept for validation and never trained on; at most half of
            them. Lots drawn from each instance decide: in a file of at least twice as many that
            grows, those held out later are new ones, or were held out before.
        num_workers: Processes that prepare batches for an accelerator. On a CPU, training
            needs the cores, so the training process prepares them itself.
        prefetch: Batches each worker prepares ahead.
        pin_memory: Page-locked host memory, so that copies to an accelerator overlap.
    """

    file: str | list[str] | None = None
    mix: float = 1.0
    holdout: int = 128
    num_workers: int = 4
    prefetch: int = 2
    pin_memory: bool = True

    def __post_init__(self) -> None:
        _require(0 <= self.mix <= 1, "mix: must lie in [0, 1]")
        for name in ("num_workers", "holdout"):
            _require(getattr(self, name) >= 0, f"{name}: must not be negative")
        _require(self.prefetch >= 1, "prefetch: must be at least 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A whole training configuration; the sections of the YAML file."""

    problem: ProblemConfig = field(default_factory=ProblemConfig)
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    data: DataConfig = field(default_factory=DataConfig)

    @property
    def own(self) -> dict[str, str]:
        """The classes of the user's own code that it names, by their keys."""
        objective = self.train.own_objective
        named = own_names(self.policy, self.problem)
        return named if objective is None else {**named, "train.objective": objective}

    def __post_init__(self) -> None:
        variants = self.problem.variants is not None
        _require(
            variants == self.policy.variants,
            "problem.variants: give it if policy.variants is true, and only then",
        )
        _require(
            not variants or self.train.baseline == "multistart",
            "baseline: variants are learned with multistart",
        )
        _require(
            not variants or "xstyle" not in self.problem.distribution,
            "problem.distribution: xstyle has no variants; its square has sides of 1000, which "
            "vehicles do not cross in a day of theirs",
        )
        _require(
            self.train.improve == 0 or self.problem.environment is None,
            "improve: the search does not know an environment of your own; train with improve: 0",
        )
