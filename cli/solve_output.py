"""Output of `vrp solve`: answers in order, each as soon as it is ready."""

import contextlib
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import IO, Protocol

from vrpcore.cli.console import Messages
from vrpcore.errors import OutputError, VrpError
from vrpcore.formats.files import claimed, reason
from vrpcore.formats.write import Form, form_of, sol_file_name
from vrpcore.instance.instance import CustomerId, Instance, InvalidInstance
from vrpcore.instance.solution import Solution, Status, Summary
from vrpcore.solve.answer import answer_text
from vrpcore.solve.backend import ModelInfo, identity_of

Item = Instance | InvalidInstance

_SOL_FILE = re.compile(r"[0-9]+-.*\.sol")


def in_words(item: Item, customer: CustomerId) -> str:
    """Name a customer for people."""
    return item.in_words(customer) if isinstance(item, Instance) else str(customer)


class Tally:
    """Totals over answers, without keeping the answers.

    Attributes:
        status: Number of answers of each status.
        faults: Number of answers that an internal error changed or cost.
        routes: Number of routes in all solutions.
        without_routes: Number of answers that are not in routes.
        constructors: Number of answers by `Solution.constructor`; a model's name, or another.
        models: Those that may construct.
    """

    def __init__(self, models: Sequence[ModelInfo]) -> None:
        self.status: Counter[Status] = Counter()
        self.faults, self.routes, self.without_routes, self.models = 0, 0, 0, models
        self.constructors: Counter[str] = Counter()
        self._cost = Fraction(0)  # exact, as `math.fsum` is
        self._whole = True
        self._gaps = (0, 0.0)

    def add(self, solution: Solution) -> None:
        """Counts one answer."""
        self.status[solution.status] += 1
        self.faults += solution.fault is not None
        self.routes += len(solution.routes)
        self.without_routes += not solution.has_routes
        if solution.constructor is not None:
            self.constructors[solution.constructor] += 1
        if solution.cost is not None:
            self._cost += Fraction(solution.cost)
            self._whole = self._whole and isinstance(solution.cost, int)
        if solution.gap is not None:
            self._gaps = (self._gaps[0] + 1, self._gaps[1] + solution.gap)

    @property
    def count(self) -> int:
        """Number of answers."""
        return self.status.total()

    @property
    def cost(self) -> float:
        """The exactly rounded sum over all solutions; an integer if all costs are."""
        return int(self._cost) if self._whole else float(self._cost)

    def mean_gap(self) -> str:
        """The mean gap as text, over instances with a known reference."""
        count, total = self._gaps
        return (
            f"{total / count:.4%} (mean of {count})"
            if count
            else "no instance has a reference cost"
        )

    def model(self) -> dict[str, str] | None:
        """The `model` of a document; see `identity_of`."""
        return identity_of(self.models, self.constructors)

    def constructed(self) -> str:
        """The methods of construction as text: models with their device, savings, insertion."""
        where = {each.name: f"{each.name} ({each.backend}, {each.device})" for each in self.models}
        counts = self.constructors
        made = sorted(counts, key=[*where, *counts].index)
        names = [where.get(name, name) for name in made]
        if len(made) > 1:
            names = [f"{where.get(name, name)} for {counts[name]}" for name in made]
        none = "" if not counts or self.model() else "none: "
        return none + ", ".join(names)

    def summary(self, seconds: float, improve: str) -> Summary:
        """The summary of all answers; see `vrpcore.instance.solution.summarise`."""
        return Summary.of(self.status, self.cost, seconds, improve)


class Sink(Protocol):
    """Takes answers in the order of the instances.

    Its methods raise OutputError where something cannot be written.

    Attributes:
        place: The file or folder that an interrupted run leaves; None on standard output.
    """

    place: Path | None

    def put(self, item: Item, solution: Solution) -> Solution:
        """Writes one answer; returns it, or what is written in its place; see `answer_text`."""

    def end(self, summary: Summary, *, complete: bool) -> None:
        """Completes the output; if it is `complete`, it is given its name."""


class TextSink:
    """Standard output, or a file that is named `.part` until it is complete.

    Args:
        path: The file; None: standard output. A pipe or a device is written directly.
        form: What is written.
        resume: Appends to the existing part.

    Raises:
        OutputError: The file's folder does not exist.
    """

    def __init__(self, path: Path | None, form: Form, *, resume: bool = False) -> None:
        self._path, self._form, self._resume = path, form, resume
        self._stream: IO[str] | None = None
        self._empty = True
        self.place: Path | None = None
        if path is not None:
            plain = not path.exists() or path.is_file()
            self.place = part_of(path) if plain else path
            require_folder(path)
            if path.is_dir():
                raise OutputError(f"{path}: cannot be written: it is a folder")

    def put(self, item: Item, solution: Solution) -> Solution:
        """See `Sink.put`."""
        text, solution = answer_text(partial(self._form.text, item), solution)
        if text:
            self._write(text if self._empty else self._form.separator + text)
            self._empty = False
        return solution

    def end(self, summary: Summary, *, complete: bool) -> None:
        """See `Sink.end`."""
        if complete and self._empty and self._form.or_nothing:
            return
        self._write(self._form.tail(summary))
        with written(self._path if complete else self.place):
            self._close(sync=True)
            if complete and self._path and self.place and self.place != self._path:
                self.place.replace(self._path)

    def _write(self, text: str) -> None:
        with written(self.place):
            if self._stream is None:
                mode = "a" if self._resume else "w"
                self._stream = (
                    sys.stdout
                    if self.place is None
                    else self.place.open(mode, encoding="utf-8", newline="\n")
                )
                if not self._resume:
                    text = self._form.head + text
            try:
                self._stream.write(text)
                self._stream.flush()  # what has been written survives this process
            except OSError:
                with contextlib.suppress(OSError):
                    self._close(sync=False)
                raise

    def _close(self, *, sync: bool) -> None:
        if self._stream is not None and self._stream is not sys.stdout:
            if sync and self.place != self._path:
                os.fsync(self._stream.fileno())
            self._stream.close()


class FolderSink:
    """A folder of `<position>-<safe name>.sol`, named `.part` until it is complete.

    Instances that are not solved have no file.

    Args:
        path: The folder; if it exists, it must be empty.
        shard: (I, K) of the positions.

    Raises:
        OutputError: It is not empty, or cannot be created.
    """

    def __init__(self, path: Path, shard: tuple[int, int]) -> None:
        self._path, self._part = path, part_of(path)
        self.place: Path | None = self._part
        self._position, self._step = shard[0] - 1, shard[1]
        self._made, self._form = False, form_of("sol")
        require_folder(path)
        if path.exists() and not path.is_dir():
            raise OutputError(f"{path}: cannot be written: not a folder")
        if path.is_dir() and any(path.iterdir()):
            raise OutputError(f"{path}: this folder contains files; name a new or empty one")

    def put(self, item: Item, solution: Solution) -> Solution:
        """See `Sink.put`."""
        self._make()
        text, solution = answer_text(partial(self._form.text, item), solution)
        if text:
            file = self._part / sol_file_name(self._position, solution.name)
            with written(file):
                file.write_text(text, encoding="utf-8", newline="\n")
        self._position += self._step
        return solution

    def end(self, _summary: Summary, *, complete: bool) -> None:
        """See `Sink.end`."""
        self._make()
        if not complete:
            return
        with written(self._path):
            if self._path.exists():
                self._path.rmdir()  # empty, as it was at the beginning
            self._part.rename(self._path)

    def _make(self) -> None:
        """The part, without what an earlier run left in it."""
        if self._made:
            return
        with written(self._part):
            self._part.mkdir(exist_ok=True)
            for file in self._part.iterdir():
                if not _SOL_FILE.fullmatch(file.name):
                    raise OutputError(
                        f"{self._part}: contains files that are not from vrp solve ({file.name})"
                    )
                file.unlink()
        self._made = True


def part_of(path: Path) -> Path:
    """The name of the output until it is complete."""
    return path.with_name(f"{path.name}.part")


def claimed_output(path: Path | None, *, folder: bool) -> AbstractContextManager[None]:
    """Keeps other runs from an output until it is complete; not from stdout, pipes and devices."""
    if path is None or (path.exists() and not (folder or path.is_file())):
        return contextlib.nullcontext()
    return claimed(part_of(path), folder=folder)


def has_routes(file: Path) -> bool:
    """Return whether some answer in a file has routes; False where it holds something else."""
    from vrpcore.formats.solutions import read_solutions

    try:
        return any(answer.has_routes for answer in read_solutions(file))
    except VrpError:
        return False


def already_complete(path: Path, messages: Messages) -> bool:
    """Return whether an output to be resumed is finished, and say so."""
    complete = path.exists() and not part_of(path).exists()
    if complete:
        messages.print(f"{path}: already complete, nothing to resume")
    return complete


def require_folder(path: Path) -> None:
    """Raises OutputError if the path has no name, or its folder does not exist."""
    if path.name in ("", ".."):
        message = "cannot be written: it has no name; name a new folder, such as solutions/"
        raise OutputError(f"{path}: {message}")
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{path}: cannot be written: its folder does not exist")


@contextlib.contextmanager
def written(place: Path | None) -> Iterator[None]:
    """Turns system errors during writing into `OutputError`.

    Args:
        place: What is written; None: standard output.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        raise OutputError(f"{place or 'stdout'}: cannot be written: {reason(error)}") from error
