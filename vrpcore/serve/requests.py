"""Requests in, documents out: what the web routes and the jobs have in common."""

import asyncio
import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import NamedTuple

from vrpcore.errors import DeviceError, InstanceError, InternalError, fault
from vrpcore.formats.files import GZIP, HEAD_BYTES, ByteReader
from vrpcore.formats.options import Reading
from vrpcore.formats.read import iter_instances
from vrpcore.formats.solutions import WARM_START, parse_solutions, parts_of
from vrpcore.formats.write import form_name, form_of
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import INTERNAL, Solution, summarise
from vrpcore.roads.instances import Item, lacking, with_matrices
from vrpcore.roads.road_matrices import Roads
from vrpcore.roads.ways import asks_for_ways, with_ways
from vrpcore.serve.held_memory import MEGABYTE, HeldMemory
from vrpcore.serve.settings import ServeSettings
from vrpcore.serve.views import Views
from vrpcore.solve.answer import answer_text, refused
from vrpcore.solve.backend import ModelInfo, identity_of
from vrpcore.solve.order import Order
from vrpcore.solve.session import PATIENCE_S, Session
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.solve.warm_starts import WarmStarts

Items = list[Item]
Check = Callable[[], None]  # called from time to time; what it raises ends the work
_Texts = tuple[str, Sequence[Solution]]  # a document, and answers as they are written there
# A job's parts wait for everybody else's instances, but not for ever.
JOB_PATIENCE_S = 60.0
ROAD_CONNECTIONS = 4  # to the routing service at a time


class TooLargeError(InstanceError):
    """More than the server takes at once."""

    default_code = "TOO_LARGE"


class SlowBodyError(InstanceError):
    """A body that takes longer than the server waits."""

    default_code = "TIMEOUT"


class NothingValidError(InstanceError):
    """A body of instances of which not one is valid.

    Attributes:
        items: All of them.
        solutions: What is wrong with each.
    """

    def __init__(self, items: Sequence[InvalidInstance]) -> None:
        super().__init__(f"none of the instances is valid; {items[0].error}", code=items[0].code)
        self.items = items
        self.solutions = [refused(item) for item in items]


class NothingAnsweredError(InternalError):
    """An internal error has left no instance of a request an answer.

    Attributes:
        items: All instances.
        solutions: What is said of each.
    """

    def __init__(self, items: Sequence[Item], solutions: Sequence[Solution]) -> None:
        super().__init__(next(answer.fault for answer in solutions if answer.fault))
        self.items, self.solutions = items, solutions


class Given(NamedTuple):
    """The content of a body.

    Attributes:
        items: Instances, valid or not.
        starts: An earlier solution of each, or None; of the last ones they may be missing.
    """

    items: Items
    starts: Sequence[Solution | None] = ()


class Answered(NamedTuple):
    """Instances with their answers.

    Attributes:
        items: With the matrices that they were solved with.
        solutions: Of all of them, in order.
        seconds: That it took.
        improve: The search that was used.
    """

    items: Sequence[Item]
    solutions: Sequence[Solution]
    seconds: float = 0.0
    improve: str = "none"


class Document(NamedTuple):
    """An answer to a request, as it is sent.

    Attributes:
        content: Its bytes.
        solutions: As they are written: see `answer_text`.
    """

    content: bytes
    solutions: Sequence[Solution]


class Requests:
    """Reads bodies, hands them to the session, writes answers.

    Args:
        session: Solves.
        models: Those that may construct.
        settings: The limits.
        roads: Where instances get the matrices that they lack; None: they must have them.
        lost: Called if the device is lost, by any thread.

    Attributes:
        asking: Held while roads are asked for, so that a slow service leaves threads to others.
        memory: What bodies and instances take.
        reading: Held while a body is read, which may take much memory: one at a time of those
            of a megabyte and of workbooks, and one of the others, which need not wait for these.
    """

    def __init__(
        self,
        session: Session,
        models: Sequence[ModelInfo],
        settings: ServeSettings,
        roads: Roads | None = None,
        lost: Callable[[DeviceError], None] | None = None,
    ) -> None:
        self.session, self.settings, self._models = session, settings, models
        self._lost = lost
        self._roads, self.asking = roads, asyncio.Semaphore(ROAD_CONNECTIONS)
        self.reading = asyncio.Lock(), asyncio.Lock()
        self.memory = HeldMemory(settings, roads=roads is not None)

    def read(self, body: bytes, most: int, check: Check = lambda: None) -> Given:
        """The instances of a body, of which one at least is valid if there are some.

        Args:
            body: See `read_all`; or an object of `instances`, such a body or its text, and
                `warm_start`, earlier answers to them.
            most: The same.
            check: The same.

        Raises:
            TooLargeError: The same.
            NothingValidError: There are some, and none is valid.
            InstanceError: See `read_all`, or the answers are none.
        """
        parts = parts_of(body)
        if parts is None:
            return Given(_some_valid(self.read_all(body, most, check)))
        items = _some_valid(self.read_all(parts.instances.rest(), most, check))
        return Given(items, () if parts.earlier is None else _starts_of(items, parts.earlier))

    def read_vroom(self, body: bytes, most: int, check: Check = lambda: None) -> Given:
        """The one problem of VROOM's of a body.

        Args:
            body: See `read_all`.
            most: The same.
            check: The same.

        Raises:
            NothingValidError: It is not valid.
            InstanceError: The body is something else (code NOT_VROOM), or see `read_all`.
        """
        items = self.read_all(body, most, check)
        if len(items) != 1 or items[0].kind != "vroom":
            message = "the body is not one problem of VROOM's; expected an object with vehicles"
            message += " and jobs or shipments (others are solved by /v1/solve)"
            raise InstanceError(message, code="NOT_VROOM")
        return Given(_some_valid(items))

    def lacks_roads(self, items: Items) -> bool:
        """Return whether some of them need matrices from the routing service."""
        return self._roads is not None and any(map(_lacks_roads, items))

    def routed(self, items: Items, check: Check) -> Items:
        """Add the matrices that instances lack; at least one is valid then.

        Args:
            items: Instances.
            check: Called before each of them and after each reply; what it raises ends the call.

        Raises:
            NothingValidError: There are some, and the service refuses all that are valid.
            RoadsError: The service cannot be reached, or answers something else.
        """
        if self._roads is None:
            return items
        return _some_valid([self._with_roads(item, self._roads, check) for item in items])

    def with_ways(
        self, items: Items, solutions: Sequence[Solution], check: Check
    ) -> list[Solution]:
        """Answers with the ways of their routes, where a document asks for them.

        Args:
            items: Instances.
            solutions: Of all of them, in order.
            check: Called before each route; what it raises ends the call.
        """
        found = list(solutions)
        for position, item in enumerate(items):
            if asks_for_ways(item):
                found[position] = with_ways(item, found[position], self._roads, check)
        return found

    def _with_roads(self, item: Item, roads: Roads, check: Check) -> Item:
        check()
        most = self.settings.max_routed
        if isinstance(item, Instance) and _lacks_roads(item) and item.num_customers > most:
            found = f"{item.num_customers} stops without matrices"
            advice = "send matrices, or split it"
            message = f"{found}, this server asks for the roads of at most {most}; {advice}"
            return item.refused(TooLargeError(message))
        return with_matrices(item, roads, lambda *_: check())

    def read_all(self, body: bytes, most: int, check: Check = lambda: None) -> Items:
        """Read all items of a body, valid or not.

        Args:
            body: As `vrp solve` reads a file; not packed.
            most: How many instances are taken.
            check: Called after each; what it raises ends the call.

        Raises:
            TooLargeError: There are more, or they take too much memory.
            InstanceError: It cannot be parsed at all.
        """
        if body.startswith(GZIP):
            raise InstanceError("the body is gzipped; send it uncompressed", code="FORMAT")
        if body.startswith(b"--") and b"form-data" in body[:HEAD_BYTES]:
            message = "the body is a form; send the file itself, as curl --data-binary @FILE does"
            raise InstanceError(message, code="FORMAT")
        items: Items = []
        held, limit = 0, self.settings.max_memory_bytes
        reading = Reading(roads=self._roads is not None, sent=True)
        for item in iter_instances(body, reading=reading):
            if len(items) >= most:
                raise TooLargeError(
                    f"more than {most} instances; send fewer at once, or submit a job to /v1/jobs"
                )
            items.append(self._fitting(item))
            held += self.memory.num_bytes(items[-1:])
            if held > limit:
                found = f"instances of more than {limit // MEGABYTE} MB, with their matrices"
                raise TooLargeError(f"{found}; send fewer at once")
            check()
        return items

    def submit(
        self, given: Given, options: SolveOptions, *, job: bool = False, insists: bool = False
    ) -> Order:
        """Hands instances to the session; see `Session.submit`.

        Args:
            given: Instances.
            options: How to solve them.
            job: They are those of a job, which others go before.
            insists: They need no room.

        Raises:
            InstanceError: Their documents ask for different options.
            OverloadedError: There is no room.
        """
        patience_s = JOB_PATIENCE_S if job else PATIENCE_S
        order = self.session.submit(
            given.items, options, patience_s, warm_starts=given.starts, insists=insists
        )
        order.future.add_done_callback(self._look)
        return order

    def _look(self, future: Future[list[Solution]]) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, DeviceError) and self._lost is not None:
            self._lost(error)

    def document(self, found: Answered, *, both: bool = False) -> Document:
        """The answer to a request: `vrp-solutions/1`, or to problems of VROOM's in kind.

        Args:
            found: The answers.
            both: All forms in one object: `solutions`, the `vrp-solutions/1`; `in_kind` with
                `name`, `type` and `text` of a file, null where what was sent has no kind of answer
                of its own; and `views`, of `Views`.
        """
        items, solutions = found.items, found.solutions
        if both:
            in_kind, solutions = _in_kind(items, solutions)
            views, solutions = _in_form(Views().line, items, solutions)
            text, solutions = self._solutions(found._replace(solutions=solutions))
            text = f'{{"solutions": {text.rstrip()}, "in_kind": {json.dumps(in_kind)}, '
            text += f'"views": [{", ".join(views)}]}}'
        elif form_name(items) == "vroom":
            text, solutions = _vrooms(items, solutions)
        else:
            text, solutions = self._solutions(found)
        return Document(text.encode(), solutions)

    def _solutions(self, found: Answered) -> _Texts:
        def model() -> dict[str, str] | None:
            return identity_of(self._models, {each.constructor for each in solutions})

        form = form_of("json", model)
        lines, solutions = _in_form(form.text, found.items, found.solutions)
        tail = form.tail(summarise(solutions, found.seconds, found.improve))
        return form.head + form.separator.join(lines) + tail, solutions

    def _fitting(self, item: Item) -> Item:
        most = self.settings.max_customers
        if isinstance(item, InvalidInstance):
            return item
        own, longest = item.origin.options, self.settings.max_time_limit_s
        if own is not None and (own.limit_s or 0.0) > longest:
            found = f"options.l: {own.limit_s:g} seconds"
            message = f"{found}, this server allows at most {longest:g}"
            return item.refused(InstanceError(message, code="OUT_OF_RANGE"))
        if item.num_customers <= most:
            return item
        found = f"{item.num_customers} customers, this server takes at most {most}"
        return item.refused(TooLargeError(found))


def _some_valid(items: Items) -> Items:
    """Return the items if some are valid or there are none; else raise NothingValidError."""
    invalid = [item for item in items if isinstance(item, InvalidInstance)]
    if items and len(invalid) == len(items):
        raise NothingValidError(invalid)
    return items


def _starts_of(items: Items, earlier: ByteReader) -> list[Solution | None]:
    """The earlier answer of each instance: by name, else by position.

    Raises:
        InstanceError: They cannot be read, or are not as many as the instances.
    """
    try:
        found = parse_solutions(earlier)
    except InstanceError as error:
        raise InstanceError(f"{WARM_START}: {error}", code=error.code) from None
    if len(found) != len(items):
        message = f"{len(found)} solutions for {len(items)} instances; give one for each"
        raise fault(WARM_START, message, "SHAPE")
    starts = WarmStarts(found, lambda _: None)
    return [starts.take(item.name, position) for position, item in enumerate(items)]


def _lacks_roads(item: Item) -> bool:
    return isinstance(item, Instance) and bool(lacking(item))


def nothing_answered(solutions: Sequence[Solution]) -> bool:
    """Return whether an internal error has left no instance an answer; others may be invalid."""
    codes = [answer.code for answer in solutions if answer.status == "invalid"]
    return INTERNAL in codes and len(codes) == len(solutions)


def _in_form(
    write: Callable[[Item, Solution], str],
    items: Sequence[Item],
    solutions: Sequence[Solution],
) -> tuple[list[str], list[Solution]]:
    """Each answer in the form of a text, and as it is written there."""
    pairs = zip(items, solutions, strict=True)
    found = [answer_text(partial(write, item), answer) for item, answer in pairs]
    return [text for text, _ in found], [answer for _, answer in found]


def _vrooms(items: Sequence[Item], solutions: Sequence[Solution]) -> _Texts:
    """Answers of VROOM's; to several problems a list."""
    lines, solutions = _in_form(form_of("vroom").text, items, solutions)
    lines = [line.rstrip() for line in lines]
    return lines[0] if len(lines) == 1 else f"[{', '.join(lines)}]", solutions


def _in_kind(
    items: Sequence[Item], solutions: Sequence[Solution]
) -> tuple[dict[str, str] | None, Sequence[Solution]]:
    """The file of an answer in kind."""
    kinds = {item.kind for item in items}
    if kinds == {"vroom"}:
        text, solutions = _vrooms(items, solutions)
        return {"name": "vroom.json", "type": "application/json", "text": f"{text}\n"}, solutions
    if kinds == {"csv"}:
        rows, solutions = _in_form(form_of("csv").text, items, solutions)
        return {"name": "routes.csv", "type": "text/csv", "text": "".join(rows)}, solutions
    return None, solutions
