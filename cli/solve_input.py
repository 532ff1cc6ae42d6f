"""Input of `vrp solve`: instances in order, shards of them, and earlier answers."""

import mmap
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from vrpcore.errors import InstanceError, OutputError, VrpError
from vrpcore.formats.files import open_reader, source_label
from vrpcore.formats.options import AS_IT_IS, MAX_INSTANCES, Reading
from vrpcore.formats.read import Item, begins_with_lines, iter_opened
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution
from vrpcore.solve.answer import is_unfinished
from vrpcore.solve.warm_starts import WarmStarts


class Feed:
    """The instances of all files, one after the other.

    JSON Lines are read as they are needed; if such a file breaks off, the instances before
    the break are kept. Any other file is read completely first, and counts as empty if it
    cannot be parsed.

    Args:
        files: Paths, or `-` for standard input.
        shard: (I, K): every K-th instance, starting at position I - 1.
        report: Called with the error of each file that cannot be read or parsed, and with what
            the author of a spreadsheet should know.
        reading: What the files do not say themselves.
        prepare: Gives an instance the matrices that it lacks; None: it must have them.
        warm_starts: Earlier solutions; None: there are none.

    Attributes:
        errors: These errors.
        positions: Number of instances read, including those of other shards.
        taken: Number of instances taken from it.
        complete: True once all files have been read.
        waiting: Instances taken and not answered yet, oldest first.
    """

    def __init__(
        self,
        files: list[str],
        shard: tuple[int, int],
        report: Callable[[VrpError | str], None],
        reading: Reading = AS_IT_IS,
        prepare: Callable[[Item], Item] | None = None,
        warm_starts: WarmStarts | None = None,
    ) -> None:
        self._files, self._shard, self._report = files, shard, report
        self._reading, self._prepare, self._warm = reading, prepare, warm_starts
        self._start: Solution | None = None
        self._items = self._all()
        self.errors: list[VrpError] = []
        self.positions = self.taken = 0
        self.complete = False
        self.waiting: deque[Item] = deque()

    def __iter__(self) -> Iterator[Item]:
        for item in self._items:
            if self._prepare is not None:
                item = self._prepare(item)
            self.waiting.append(item)
            yield item

    def warm_starts(self) -> Iterator[Solution | None]:
        """Yield the warm start of the instance that was taken last, each time it is asked."""
        while self._warm is not None:
            yield self._start

    def skip(self, answer: Solution, place: str) -> None:
        """Skips an instance that was answered before.

        Args:
            answer: The answer.
            place: Where it was found.

        Raises:
            InstanceError: The next instance has another name, or there is none.
        """
        item = next(self._items, None)
        if item is None or item.name != answer.name:
            found = (
                "there are no more instances" if item is None else f"the input has {item.name!r}"
            )
            advice = "the file belongs to another input; remove it, or run again without --resume"
            raise InstanceError(f"{place} answers {answer.name!r}, but {found} there: {advice}")

    def _all(self) -> Iterator[Item]:
        first, every = self._shard
        for file in self._files:
            label = source_label(file) if len(self._files) > 1 else ""
            try:
                for item in self._of_file(file, label):
                    self._report_notes(item)
                    if self._warm is not None:  # also of one that is skipped
                        self._start = self._warm.take(item.name, self.positions)
                    self.positions += 1
                    if (self.positions - first) % every == 0:
                        self.taken += 1
                        yield item
            except VrpError as error:
                error.__cause__ = error.__context__ = None  # their frames hold the whole file
                self.errors.append(error.with_traceback(None))
                self._report(error)
        self.complete = True

    def _of_file(self, file: str, label: str) -> Iterator[Item]:
        """The instances of a file, all of them read first unless it is JSON Lines."""
        with open_reader(file) as reader:
            lines = reader.skip_blank() == b"{" and begins_with_lines(reader)
            items = iter_opened(reader, self.positions, label, self._reading)
            if lines:
                yield from items
                return
            whole = list(islice(items, MAX_INSTANCES + 1))
        if len(whole) > MAX_INSTANCES:
            message = f"more than {MAX_INSTANCES} instances; write JSON Lines"
            raise InstanceError(f"{source_label(file)}: {message}")
        yield from whole

    def _report_notes(self, item: Item) -> None:
        if isinstance(item, Instance):
            for note in (*item.origin.read_as, *item.origin.notes):
                self._report(note if item.origin.label else f"{item.name}: {note}")


def finished_before(part: Path) -> Iterator[tuple[Solution, str]]:
    """The answers that an interrupted run had finished, and the place of each.

    An incomplete last line is cut off the file, and so is all from the first answer on that was
    interrupted itself, once the others are taken.

    Raises:
        InstanceError: A line is not an answer.
        OutputError: The file cannot be read or cut.
    """
    from vrpcore.formats.solutions import read_line

    try:
        if not _cut_torn_line(part):
            return
    except OSError as error:
        raise OutputError(f"{part}: cannot be read: {error.strerror}") from None
    with open_reader(part) as reader:
        lines = 0
        while reader.skip_blank():
            place = f"line {lines + 1}"
            answer = read_line(reader, place)
            if is_unfinished(answer):
                break
            yield answer, f"{part}: {place}"
            lines += 1
        else:
            return
    try:
        _cut_after(part, lines)
    except OSError as error:
        raise OutputError(f"{part}: cannot be written: {error.strerror}") from None


def _cut_after(part: Path, lines: int) -> None:
    """Cuts the file after so many lines that are not blank."""
    with part.open("rb+") as file:
        while lines and (line := file.readline()):
            lines -= not line.isspace()
        file.truncate(file.tell())


def _cut_torn_line(part: Path) -> int:
    """Cuts the file after its last line end; returns the bytes that are left."""
    with part.open("rb+") as file:
        end = 0
        if file.seek(0, 2):
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
                end = view.rfind(b"\n") + 1
        file.truncate(end)
        return end
