"""`vrp solve -o plan.xlsx`: all answers as one workbook, when the last one is ready."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from vrpcore.cli.solve_output import Item, part_of, require_folder
from vrpcore.errors import (
    BUG,
    InstanceError,
    MissingExtraError,
    OutputError,
    VrpError,
    is_internal,
    log_internal,
    require_extra,
)
from vrpcore.formats.files import write_bytes
from vrpcore.formats.spreadsheets import AnswerRows, rows_of, write_workbook
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution, Summary
from vrpcore.plot import figure
from vrpcore.solve.answer import answer_text


class WorkbookSink:
    """Collects answers and writes them at the end, with a map where matplotlib is installed.

    Args:
        path: The file.
        say: Called with what goes wrong and costs no answer.

    Raises:
        MissingExtraError: The extra `sheets` is not installed.
        OutputError: The file's folder does not exist.
    """

    def __init__(self, path: Path, say: Callable[[VrpError], None]) -> None:
        require_extra("sheets", f"-o {path}", "xlsxwriter")
        require_folder(path)
        if path.is_dir():
            raise OutputError(f"{path}: cannot be written: it is a folder")
        self._path, self._say = path, say
        self.place: Path | None = part_of(path)
        self._rows: list[AnswerRows] = []
        self._drawn: list[tuple[Instance, Solution]] = []

    def put(self, item: Item, solution: Solution) -> Solution:
        """See `Sink.put`."""
        found: list[AnswerRows] = []

        def keep(answer: Solution) -> str:
            found[:] = [rows_of(item, answer)]
            return ""

        _, solution = answer_text(keep, solution)
        self._rows += found
        room = len(self._drawn) < figure.MAX_PANELS
        if room and isinstance(item, Instance) and solution.has_routes:
            self._drawn.append((item, solution))
        return solution

    def end(self, _summary: Summary, *, complete: bool) -> None:
        """See `Sink.end`."""
        data = write_workbook(self._rows, self._picture())
        part = part_of(self._path)
        write_bytes(self._path if complete else part, data)
        if complete:
            with suppress(OSError):
                part.unlink()  # of an earlier run, or empty

    def _picture(self) -> bytes | None:
        """The map and the timeline as PNG; None where there is nothing to draw, or to draw with.

        Whatever else is wrong with it costs no answer.
        """
        if not self._drawn:
            return None
        try:
            drawn = figure.draw(self._drawn, lambda _: None)
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "map.png"
                figure.save(drawn, file)
                return file.read_bytes()
        except (MissingExtraError, InstanceError):
            return None
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            if is_internal(error):
                log_internal(error)
                words = f"{BUG}: {words}"
            self._say(OutputError(f"{self._path}: has no map, which could not be drawn: {words}"))
            return None
