"""A run of `vrp solve`: reading, solving, writing and reporting."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING

from vrpcore.cli.console import (
    EXIT_INFEASIBLE,
    EXIT_INTERNAL,
    EXIT_INVALID,
    Messages,
    Terminated,
    exit_code,
    print_error,
    uninterrupted,
)
from vrpcore.cli.solve import IN_KIND, WITH_WAYS, WITHOUT_WAYS
from vrpcore.cli.solve_input import Feed, finished_before
from vrpcore.cli.solve_output import (
    FolderSink,
    Sink,
    Tally,
    TextSink,
    already_complete,
    claimed_output,
    has_routes,
    in_words,
    require_folder,
)
from vrpcore.cli.solve_progress import watched
from vrpcore.errors import OutputError, VrpError
from vrpcore.formats.files import is_same_file
from vrpcore.formats.write import form_name, form_of
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import INTERNAL
from vrpcore.referee.referee import FROZEN_BREAKS_LIMIT
from vrpcore.solve.answer import is_unfinished, refused
from vrpcore.solve.searching import usable_options
from vrpcore.solve.solver import Solver
from vrpcore.solve.warm_starts import WarmStarts

if TYPE_CHECKING:
    from vrpcore.cli.solve import SolveRequest
    from vrpcore.instance.solution import Solution, Summary
    from vrpcore.roads.instances import Item
    from vrpcore.roads.road_matrices import Report
    from vrpcore.solve.solve_options import SolveOptions
    from vrpcore.solve.stage import Stage

MAX_NAMED = 10  # of those who are not served, of an instance
_EXIT_S = 0.01  # from the last answer to the end of the process
_DRAW_S = 0.05  # a table on the terminal


def solve_files(request: SolveRequest) -> int:
    """Solves what was asked for and returns the exit code.

    Raises:
        VrpError: Nothing could be solved or written.
    """
    messages = Messages(quiet=request.output.quiet)
    path = request.output.path
    if path is not None:
        require_folder(path)
        if request.output.resume and already_complete(path, messages):
            return 0
    return SolveRun(request, messages).run()


def effective_options(options: SolveOptions, messages: Messages) -> SolveOptions:
    """The options that work in this installation; prints a message if they differ."""
    usable = usable_options(options)
    if usable.improve != options.improve:
        messages.print(
            "improve: none, because the compiled search was not built when vrp was installed "
            "(vrp doctor says how to get it)"
        )
    return usable


def status_code(summary: Summary, faults: int, *, may_leave_out: bool = False) -> int:
    """The exit code that follows from the answers.

    Args:
        summary: Of the answers.
        faults: How many of them an internal error changed or cost.
        may_leave_out: Leaving stops out is an answer like any other, as for VROOM.
    """
    if faults:
        return EXIT_INTERNAL
    if summary.invalid:
        return EXIT_INVALID
    return EXIT_INFEASIBLE if summary.solved < summary.instances and not may_leave_out else 0


def unserved_lines(answer: Solution, instance: Item) -> list[str]:
    """A line with the reason for each required stop left out; `MAX_NAMED` at most."""
    missing = [item for item in answer.unserved if item.reason != "PRIZE"]
    lines = [
        f"  {in_words(instance, item.id)}: {item.reason}{f', {item.detail}' if item.detail else ''}"
        for item in missing[:MAX_NAMED]
    ]
    more = len(missing) - len(lines)
    return [*lines, f"  and {more} more"] if more else lines


class SolveRun:
    """One run.

    Args:
        request: What was asked for.
        messages: For messages.
    """

    def __init__(self, request: SolveRequest, messages: Messages) -> None:
        self._request, self._messages = request, messages
        self._options = effective_options(request.options, messages)
        self._solver = Solver(request.engine.model, request.engine.device, own=request.own)
        self._started = time.perf_counter()
        source = request.source
        self._references: dict[str, float] = {}
        self._warm: WarmStarts | None = None
        if source.bks:
            from vrpcore.bench.bks import read_reference_files

            self._references = read_reference_files([Path(source.bks)])
        if source.warm_start:
            from vrpcore.formats.solutions import read_solutions

            self._warm = WarmStarts(read_solutions(source.warm_start), self._say)
        reading, self._roads = source.opened(self._say)
        prepare = None if self._roads is None else self._prepare
        self._feed = Feed(request.files, source.shard, self._say, reading, prepare, self._warm)
        self._asked: Report | None = None
        self._tally = Tally(self._solver.models)
        self._claims = contextlib.ExitStack()
        # These two depend on the instances.
        later = request.format in ("sol-by-count", IN_KIND)
        self._format = "json" if request.format == IN_KIND else request.format
        self._sink = None if later else self._opened(request.format)
        self._resumed = self._answered = 0
        self._ahead: dict[int, Solution] = {}

    def run(self) -> int:
        """Solves, writes and reports; see `solve_files`."""
        with self._claims:
            if self._request.format != "sol-by-count":
                self._claim(folder=self._request.format == "sol")
            return self._run()

    def _claim(self, *, folder: bool) -> None:
        self._claims.enter_context(claimed_output(self._request.output.path, folder=folder))

    def _run(self) -> int:
        if self._request.output.resume:
            self._skip_finished()
        try:
            self._solve()
        except BaseException as error:
            self._keep(error)
            raise
        finally:
            if self._roads is not None:
                self._roads.close()
        if self._feed.errors and not self._feed.positions:
            if self._format == "vroom":
                self._put_error(self._feed.errors[0])
            return min(exit_code(error) for error in self._feed.errors)
        summary = self._end()
        self._report()
        may_leave_out = self._format == "vroom"
        own = status_code(summary, self._tally.faults, may_leave_out=may_leave_out)
        codes = [*map(exit_code, self._feed.errors), own]
        return min(filter(None, codes), default=0)

    def _open(self, first: Item | None = None) -> Sink:
        """Open the output; a small input has been read completely by now.

        Args:
            first: The instance of the first answer.
        """
        if self._sink is None and self._request.format == IN_KIND:
            self._format = form_name([] if first is None else [first, *self._feed.waiting])
            if self._format == "json" and self._request.output.geometry:
                self._say(f"--geometry: {WITHOUT_WAYS}")
            self._sink = self._opened(self._format)
        elif self._sink is None:
            single = self._feed.complete and self._feed.positions == 1
            self._claim(folder=not single)
            self._sink = self._opened("sol-file" if single else "sol")
        return self._sink

    def _put_error(self, error: VrpError) -> None:
        """Answers an input that cannot be read at all as VROOM does."""
        item = InvalidInstance(name="", code=error.code, error=str(error), kind="vroom")
        self._tally.add(self._open().put(item, refused(item)))
        self._end()

    def _end(self) -> Summary:
        """Completes the output, which keeps its other name where it would replace a plan."""
        summary, sink = self._summary(), self._open()
        replaces = self._would_replace_a_plan()
        sink.end(summary, complete=not replaces)
        if replaces:
            words = "not replaced, because not all that was read has an answer in routes"
            said = f"{self._request.output.path}: {words}; what was found is in {sink.place}"
            self._say(OutputError(said))
        return summary

    def _would_replace_a_plan(self) -> bool:
        """Return whether the file holds a plan that answers without routes would replace.

        All of them; of a warm start, which may be the only copy, any.
        """
        path, lost = self._request.output.path, self._tally.without_routes
        if path is None or not path.is_file() or self._request.format.startswith("sol"):
            return False  # of those, a .sol is written for routes only
        if is_same_file(path, self._request.source.warm_start or ""):
            return lost > 0 or bool(self._feed.errors)
        return 0 < lost == self._tally.count and has_routes(path)

    def _opened(self, name: str) -> Sink:
        source, output = self._request.source, self._request.output
        if name == "sol" and output.path:
            return FolderSink(output.path, source.shard)
        if name == "xlsx" and output.path:
            from vrpcore.cli.solve_workbook import WorkbookSink

            return WorkbookSink(output.path, self._say)
        if name == "table":
            from vrpcore.cli.solve_table import TableSink

            return TableSink(self._tally, referenced=bool(source.bks))
        return TextSink(output.path, form_of(name, self._tally.model), resume=output.resume)

    def _skip_finished(self) -> None:
        part = self._open().place
        if part is None or not part.exists():
            return
        for answer, place in finished_before(part):
            self._feed.skip(answer, place)
            self._tally.add(answer)
        self._resumed = self._tally.count
        self._messages.print(f"{self._resumed} answers from the interrupted run are kept")

    def _solve(self) -> None:
        options = self._options
        if options.time_limit is not None:
            spent = time.perf_counter() - self._request.started + _EXIT_S
            spent += _DRAW_S if self._as_table else 0.0
            options = dataclasses.replace(options, time_limit=max(0.0, options.time_limit - spent))
        improving = options.improve != "none"
        with watched(self._messages, self._feed, improving=improving) as (advance, self._asked):

            def report(stage: Stage) -> None:
                self._ahead.update(stage.answers)
                if stage.note:
                    self._messages.print(stage.note, style="yellow")
                advance(stage)

            answers = self._solver.stream(
                self._feed,
                options,
                warm_starts=self._feed.warm_starts(),
                report=report,
                references=self._references,
            )
            for answer in answers:
                try:
                    self._put(answer)
                except (KeyboardInterrupt, Terminated) as error:
                    answers.throw(error)  # reports what the searches have, and raises it

    def _prepare(self, item: Item) -> Item:
        """Gives an instance the matrices that it lacks."""
        if self._roads is None:
            return item
        from vrpcore.roads.instances import with_matrices

        return with_matrices(item, self._roads, self._asked)

    def _put(self, answer: Solution) -> None:
        """Writes the next answer, which is that of the oldest waiting instance."""
        item = self._feed.waiting[0]
        sink = self._open(item)
        if self._format in WITH_WAYS:
            answer = self._with_ways(item, answer)
        # An interruption before this line leaves the answer among those that are kept; one while
        # it is written would leave it in the file, but not counted. Only standard output may block.
        with contextlib.nullcontext() if sink.place is None else uninterrupted():
            self._feed.waiting.popleft()
            self._ahead.pop(self._answered, None)
            self._answered += 1
            answer = sink.put(item, answer)
            self._tally.add(answer)
        if answer.fault is not None:
            print_error(f"{answer.name}: {answer.fault}", self._messages)
        if answer.status != "solved" and answer.code != INTERNAL and not self._as_table:
            lines = f"{answer.name}: {answer.status}: {answer.error}".split("\n")
            lines += unserved_lines(answer, item)
            as_sol = self._request.format.startswith("sol")
            if answer.routes and as_sol:
                lines.append("its routes are not written: .sol is for solved instances; use .json")
            nowhere = as_sol and answer.status == "invalid"  # no other place has the reason
            messages = Messages() if nowhere and self._messages.quiet else self._messages
            for line in lines:
                messages.print(line, style="yellow")
        for warning in answer.warnings:
            if warning.startswith(FROZEN_BREAKS_LIMIT):
                self._messages.print(f"{answer.name}: {warning}", style="yellow")

    def _with_ways(self, item: Item, answer: Solution) -> Solution:
        """An answer with its ways along roads, where the call or the instance asks for them."""
        from vrpcore.roads.ways import asks_for_ways, with_ways

        asked = self._request.output.geometry or asks_for_ways(item)
        return with_ways(item, answer, self._roads) if asked else answer

    def _keep(self, error: BaseException) -> None:
        """Keeps finished answers, under the `.part` name."""
        interrupted = isinstance(error, KeyboardInterrupt | Terminated)
        finished = self._tally.count or not all(map(is_unfinished, self._ahead.values()))
        if not interrupted and not finished:
            return
        with contextlib.suppress(VrpError, OSError):
            self._put_ahead()
            self._open().end(self._summary(), complete=False)
            total = f" of {self._feed.taken}" if self._feed.complete else ""
            where = f" in {self._open().place}" if self._request.output.path else ""
            kept = "shown" if self._as_table else f"kept{where}"
            self._messages.print(f"{self._tally.count}{total} were finished and are {kept}")

    def _put_ahead(self) -> None:
        """Writes answers that were finished ahead of an unfinished one.

        Not where positions matter: a resumed run continues after the last line.
        """
        done, waiting = self._answered, list(self._feed.waiting)
        if self._ahead and waiting:
            self._open(waiting[min(self._ahead) - done])
        by_place = self._format not in ("json", "csv", "xlsx", "geojson", "table")
        for count, position in enumerate(sorted(self._ahead)):
            if by_place and position != done + count:
                return
            answer = self._open().put(waiting[position - done], self._ahead[position])
            self._tally.add(answer)

    def _summary(self) -> Summary:
        return self._tally.summary(time.perf_counter() - self._started, self._options.improve)

    @property
    def _as_table(self) -> bool:
        return self._request.format == "table"

    def _say(self, said: VrpError | str) -> None:
        if isinstance(said, VrpError):
            print_error(str(said), self._messages)
        else:
            self._messages.print(said, style="yellow")

    def _report(self) -> None:
        tally = self._tally
        if self._warm is not None and len(self._warm) != self._feed.positions:
            self._messages.print(
                f"{len(self._warm)} warm starts for {self._feed.positions} instances; they are "
                "matched by name, else by position"
            )
        if self._as_table:
            return  # its last line says the same
        seconds = time.perf_counter() - self._started
        rate = self._answered / seconds if seconds > 0 else 0.0
        rows = {
            "model": tally.constructed(),
            "solved": f"{tally.status['solved']} of {tally.count}",
            "cost": f"{tally.cost:.6g}",
            "gap": tally.mean_gap() if self._references else "",
            "routes": str(tally.routes),
            "time": f"{seconds:.2f} s, {rate:.3g} instances/s",
        }
        self._messages.print(*(f"{key:<6}  {text}" for key, text in rows.items() if text))
