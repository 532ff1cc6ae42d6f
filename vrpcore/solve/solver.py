"""`Solver`: joins a backend, the scheduler and the search."""

import os
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from contextlib import suppress
from typing import Unpack

from vrpcore.config.keywords import explicit
from vrpcore.errors import InstanceError
from vrpcore.formats.solutions import reference_costs
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.modelling.model_solution import ModelSolution
from vrpcore.solve.backend import ModelInfo
from vrpcore.solve.checked import checked_starts, several
from vrpcore.solve.memory_limit import ROOM_CUSTOMERS, SessionLimits
from vrpcore.solve.models import open_backend
from vrpcore.solve.pairing import paired, telling, unknown, with_instance
from vrpcore.solve.searching import usable_options
from vrpcore.solve.session import Session
from vrpcore.solve.solve_options import SolveArguments, SolveOptions, changed
from vrpcore.solve.stage import Improvement, Stage
from vrpcore.solve.stream import Stream
from vrpcore.threads import num_cores


class Solver:
    """Solves instances in batches with one model, loaded once.

    Args:
        model: A shipped name, a path (checkpoint, TorchScript or ONNX, detected from its
            content), or None for the default shipped model.
        device: `auto`, `cpu`, `cuda` or `cuda:N`.
        own: Classes of your own code, `package.module:Class`, that a checkpoint may name.

    Raises:
        ModelError: No such model, or a checkpoint that names other code of yours.
        ConfigError: One of `own` cannot be imported.
        DeviceError: The device is not available.
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | None = None,
        device: str = "auto",
        *,
        own: Collection[str] = (),
    ) -> None:
        self._backend, self._named = open_backend(model, device, own), model is not None

    @property
    def model(self) -> ModelInfo:
        """Which model it has, and where it runs."""
        return self._backend.info

    @property
    def models(self) -> list[ModelInfo]:
        """The models of this solver, the one for instances with constraints last."""
        variants = self._backend.variants
        found = [self.model, *([] if variants is None else [variants.info])]
        return list(dict.fromkeys(found))

    @explicit
    def solve(
        self,
        instances: Iterable[Instance | InvalidInstance],
        options: SolveOptions | None = None,
        *,
        warm_starts: Iterable[Solution | None] | None = None,
        report: Callable[[Stage], None] | None = None,
        on_improvement: Callable[[Improvement], object] | None = None,
        references: Mapping[str, float] | None = None,
        **changes: Unpack[SolveArguments],
    ) -> list[ModelSolution]:
        """Solves every instance; Ctrl-C ends it with the best answers by then.

        Args:
            instances: From `read_instances`, all of which are read first; invalid ones keep their
                place.
            options: How to solve; None: the defaults.
            warm_starts: An earlier solution for each instance, or None: the answer is never
                worse than it, nor than the instance's own `routes`. One that does not
                solve its instance is repaired (warning `WARM_START_REPAIRED`); one that has
                no stop of it is ignored (`WARM_START_IGNORED`).
            report: Called with progress.
            on_improvement: Called with better plans of instances as they are found, ten times a
                second at most for each; in the caller's thread. If it returns True, the search of
                that instance ends with this plan, or a better one. What it raises ends the call.
            references: Costs by instance name; answers and improvements then have a gap.
            **changes: Single options of `SolveOptions`, such as `improve="deep"`.

        Returns:
            One solution per instance, in order; each has passed an independent check. An
            internal error costs only its own instance: the answer has the code `INTERNAL`, or
            a warning that begins so where there is an answer all the same. After Ctrl-C, answers
            that are not finished have the warning `INTERRUPTED`, and instances without any answer
            have that code. A second Ctrl-C waits for no search any more.

        Raises:
            ConfigError: An option that is unknown, of another type or out of range.
            InstanceError: `instances` are something else, the numbers of warm starts and instances
                differ, a warm start is no solution, or a reference is no cost.
            ModelError: The model failed.
        """
        found, known = dict[int, Solution](), reference_costs(references)
        tell = telling(report, on_improvement, known)

        def note(stage: Stage) -> bool:
            found.update(stage.answers)
            return tell(stage)

        stream = self._stream(changed(options, changes), note, thorough=True)
        items = list(several(instances))
        starts = None if warm_starts is None else list(warm_starts)
        if starts is not None and len(starts) != len(items):
            raise InstanceError(
                f"{len(starts)} warm starts for {len(items)} instances; they are matched by "
                "position"
            )
        with suppress(KeyboardInterrupt):
            deque(stream.answers(items, checked_starts(starts or ())), maxlen=0)
        return [
            with_instance(item, found.get(position) or unknown(item), known)
            for position, item in enumerate(items)
        ]

    @explicit
    def stream(
        self,
        instances: Iterable[Instance | InvalidInstance],
        options: SolveOptions | None = None,
        *,
        warm_starts: Iterable[Solution | None] | None = None,
        report: Callable[[Stage], None] | None = None,
        on_improvement: Callable[[Improvement], object] | None = None,
        references: Mapping[str, float] | None = None,
        **changes: Unpack[SolveArguments],
    ) -> Generator[ModelSolution, None, None]:
        """Solves a stream of instances; the same answers as `solve`, but Ctrl-C is raised.

        Without a time limit, only a few thousand instances are in memory at a time, and if
        the caller stops asking for answers, reading stops too. With a time limit, all are
        read first, because the time is shared among them.

        Args:
            instances: Any number of them.
            options: How to solve; None: the defaults.
            warm_starts: As for `solve`; if there are fewer, the remaining instances have none.
            report: Called with progress, in the caller's thread; after Ctrl-C also with the answers
                by then that were not taken yet: if it waits for one, or is told by `throw`.
            on_improvement: As for `solve`.
            references: As for `solve`.
            **changes: Single options of `SolveOptions`.

        Yields:
            One solution per instance, in order. Each holds its instance.

        Raises:
            ConfigError: An option that is unknown, of another type or out of range.
            InstanceError: As for `solve`; of an element or a warm start while iterating.
            ModelError: The model failed (while iterating).
        """
        known = reference_costs(references)
        stream = self._stream(changed(options, changes), telling(report, on_improvement, known))
        earlier = checked_starts(() if warm_starts is None else warm_starts)
        return paired(stream, several(instances), earlier, known)

    def _stream(
        self,
        options: SolveOptions,
        tell: Callable[[Stage], bool],
        *,
        thorough: bool = False,
    ) -> Stream:
        """A stream that nothing was given yet; its time begins now."""
        started = time.perf_counter()
        chosen = usable_options(options)
        end = None if chosen.time_limit is None else started + chosen.time_limit
        cores = num_cores()
        capacity = SessionLimits(workers=chosen.workers or cores, threads=chosen.threads or cores)
        session = Session(self._backend, capacity, named=self._named)
        return Stream(session, chosen, tell, end, thorough=thorough)

    def session(self, workers: int | None = None, room: int = ROOM_CUSTOMERS) -> Session:
        """Opens a session, which takes orders from any thread and solves them in shared batches.

        ```python
        with Solver().session() as session:
            order = session.submit(instances, SolveOptions(time_limit=1.0))
            solutions = order.future.result()
        ```

        Args:
            workers: Threads, at least 2; None: one per core.
            room: Most customers, over all orders, waiting or being solved; beyond it
                `submit` raises `OverloadedError`.

        Raises:
            ConfigError: `workers` is no such number.
        """
        number = max(2, SolveOptions(workers=workers).workers or num_cores())
        capacity = SessionLimits(workers=number, threads=number, room=room, shared=True)
        return Session(self._backend, capacity)
