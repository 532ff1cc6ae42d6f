"""What `vrp solve` writes: each answer as soon as it and all before it are there."""

import contextlib
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import IO, Protocol

from vrpcore.errors import OutputError
from vrpcore.instance.files import reason
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.instance.solutionformats import (
    CSV_HEADER,
    GEOJSON_HEAD,
    GEOJSON_SEPARATOR,
    GEOJSON_TAIL,
    feature_to_line,
    geojson_features,
    sol_file_name,
    solution_to_csv,
    solution_to_sol,
)
from vrpcore.instance.solutionio import (
    LINE_SEPARATOR,
    document_head,
    document_tail,
    solution_to_line,
)

Item = Instance | InvalidInstance
Summary = Mapping[str, object]

_SOL_FILE = re.compile(r"[0-9]+-.*\.sol")


class Tally:
    """Counts and costs of answers that are not kept.

    Attributes:
        status: How many there are of each status.
        routes: Of all solved ones together.
    """

    def __init__(self) -> None:
        self.status: Counter[str] = Counter()
        self.routes = 0
        self._cost = Fraction(0)  # exact, as `math.fsum` is
        self._whole = True
        self._gaps = (0, 0.0)

    def add(self, solution: Solution) -> None:
        """Counts one answer."""
        self.status[solution.status] += 1
        self.routes += len(solution.routes)
        if solution.cost is not None:
            self._cost += Fraction(solution.cost)
            self._whole = self._whole and isinstance(solution.cost, int)
        if solution.gap is not None:
            self._gaps = (self._gaps[0] + 1, self._gaps[1] + solution.gap)

    @property
    def count(self) -> int:
        """All answers."""
        return self.status.total()

    @property
    def cost(self) -> float:
        """The exactly rounded sum over all solved ones; whole where all are."""
        return int(self._cost) if self._whole else float(self._cost)

    def mean_gap(self) -> str:
        """In words: of those whose reference is known."""
        count, total = self._gaps
        return f"{total / count:.4%} in the mean of {count}" if count else "no name is known"

    def summary(self, seconds: float, improve: str) -> dict[str, str | int | float]:
        """As `vrpcore.instance.solution.summarise` of all of them."""
        return {
            "instances": self.count,
            "solved": self.status["solved"],
            "invalid": self.status["invalid"],
            "infeasible": self.status["infeasible"],
            "cost": self.cost,
            "seconds": round(seconds, 6),
            "instances_per_second": round(self.count / seconds, 3) if seconds > 0 else 0.0,
            "improve": improve,
        }


class Sink(Protocol):
    """Takes answers in the order of the instances.

    Attributes:
        place: What an interrupted run leaves, None on standard output.
    """

    place: Path | None

    def put(self, item: Item, solution: Solution) -> None:
        """Writes one answer.

        Raises:
            OutputError: It cannot be written.
        """

    def finish(self, summary: Summary, /) -> None:
        """Completes the output and gives it its name.

        Raises:
            OutputError: It cannot be written.
        """

    def keep(self, summary: Summary, /) -> None:
        """Completes what is there, under the name of a part.

        Raises:
            OutputError: It cannot be written.
        """


@dataclass(frozen=True, slots=True)
class Form:
    """A text format that is written answer by answer.

    Attributes:
        head: Before all answers.
        separator: Between two of them.
        text: Of one answer; may be empty.
        tail: After all of them.
        or_nothing: Where no answer has a text, there is no output.
    """

    head: str
    separator: str
    text: Callable[[Item, Solution], str]
    tail: Callable[[Summary], str]
    or_nothing: bool = False


def form_of(name: str, model: Summary) -> Form:
    """The format of this name: json, jsonl, csv, geojson, or sol-file for one answer.

    Args:
        name: Its name.
        model: name, sha256, backend, device.
    """
    if name == "json":
        return Form(
            document_head(model), LINE_SEPARATOR, lambda _, found: solution_to_line(found),
            document_tail,
        )  # fmt: skip
    if name == "jsonl":
        return Form("", "", lambda _, found: f"{solution_to_line(found)}\n", lambda _: "")
    if name == "csv":
        return Form(CSV_HEADER, "", solution_to_csv, lambda _: "")
    if name == "geojson":
        return Form(GEOJSON_HEAD, GEOJSON_SEPARATOR, _features, lambda _: GEOJSON_TAIL)
    return Form("", "", _sol, lambda _: "", or_nothing=True)


class TextSink:
    """Standard output, or a file that is named `.part` until it is whole.

    Args:
        path: The file; None: standard output. A pipe or a device is written itself.
        form: What is written.
        resume: Goes on behind what the part holds already.

    Raises:
        OutputError: The file's folder is not there.
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

    def put(self, item: Item, solution: Solution) -> None:
        """See `Sink.put`."""
        text = self._form.text(item, solution)
        if text:
            self._write(text if self._empty else self._form.separator + text)
            self._empty = False

    def finish(self, summary: Summary, /) -> None:
        """See `Sink.finish`."""
        if self._empty and self._form.or_nothing:
            return
        self._write(self._form.tail(summary))
        with written(self._path):
            self._close(sync=True)
            if self._path is not None and self.place is not None and self.place != self._path:
                self.place.replace(self._path)

    def keep(self, summary: Summary, /) -> None:
        """See `Sink.keep`."""
        self._write(self._form.tail(summary))
        with written(self.place):
            self._close(sync=True)

    def _write(self, text: str) -> None:
        with written(self.place):
            if self._stream is None:
                self._stream = self._opened()
                if not self._resume:
                    text = self._form.head + text
            try:
                self._stream.write(text)
                self._stream.flush()  # what has been written survives this process
            except OSError:
                with contextlib.suppress(OSError):
                    self._close(sync=False)
                raise

    def _opened(self) -> IO[str]:
        if self.place is None:
            return sys.stdout
        mode = "a" if self._resume else "w"
        return self.place.open(mode, encoding="utf-8", newline="\n")

    def _close(self, *, sync: bool) -> None:
        if self._stream is not None and self._stream is not sys.stdout:
            if sync and self.place != self._path:
                os.fsync(self._stream.fileno())
            self._stream.close()


class FolderSink:
    """A folder of `<position>-<safe name>.sol`, named `.part` until it is whole.

    Answers that are not solved have no file.

    Args:
        path: The folder; it may exist, but not hold anything.
        shard: (I, K) of the positions.

    Raises:
        OutputError: There is something in it, or it cannot be made.
    """

    def __init__(self, path: Path, shard: tuple[int, int]) -> None:
        self._path, self._part = path, part_of(path)
        self.place: Path | None = self._part
        self._position, self._step = shard[0] - 1, shard[1]
        self._made = False
        require_folder(path)
        if path.exists() and not path.is_dir():
            raise OutputError(f"{path}: cannot be written: it is no folder")
        if path.is_dir() and any(path.iterdir()):
            raise OutputError(f"{path}: there are files in this folder; name a new or empty one")

    def put(self, item: Item, solution: Solution) -> None:
        """See `Sink.put`."""
        self._make()
        if isinstance(item, Instance) and solution.status == "solved":
            file = self._part / sol_file_name(self._position, solution.name)
            text = solution_to_sol(item, solution)
            with written(file):
                file.write_text(text, encoding="utf-8", newline="\n")
        self._position += self._step

    def finish(self, _summary: Summary, /) -> None:
        """See `Sink.finish`."""
        self._make()
        with written(self._path):
            if self._path.exists():
                self._path.rmdir()  # empty, as it was at the beginning
            self._part.rename(self._path)

    def keep(self, _summary: Summary, /) -> None:
        """See `Sink.keep`."""
        self._make()

    def _make(self) -> None:
        """The part, without what an earlier run left in it."""
        if self._made:
            return
        with written(self._part):
            self._part.mkdir(exist_ok=True)
            for file in self._part.iterdir():
                if not _SOL_FILE.fullmatch(file.name):
                    raise OutputError(f"{self._part}: holds files of something else ({file.name})")
                file.unlink()
        self._made = True


def part_of(path: Path) -> Path:
    """What the output is called until it is whole."""
    return path.with_name(f"{path.name}.part")


def require_folder(path: Path) -> None:
    """Raises OutputError where the folder to write into is not there."""
    if not path.name or not path.absolute().parent.is_dir():
        raise OutputError(f"{path}: cannot be written: its folder is not there")


def _features(item: Item, solution: Solution) -> str:
    return GEOJSON_SEPARATOR.join(map(feature_to_line, geojson_features(item, solution)))


def _sol(item: Item, solution: Solution) -> str:
    if isinstance(item, InvalidInstance) or solution.status != "solved":
        return ""
    return solution_to_sol(item, solution)


@contextlib.contextmanager
def written(place: Path | None) -> Iterator[None]:
    """Turns what the system says while something is written into `OutputError`.

    Args:
        place: What is written; None: standard output.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        raise OutputError(f"{place or 'stdout'}: cannot be written: {reason(error)}") from error
