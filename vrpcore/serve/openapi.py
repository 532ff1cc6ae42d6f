"""Requests and replies of all routes, for `/openapi.json`."""

import json
from typing import Annotated, Any, Literal

import msgspec
from fastapi import FastAPI
from msgspec import UNSET, Meta, UnsetType

from vrpcore.formats.answers.solution_json import SolutionDocument
from vrpcore.formats.json.documents import InstanceDocument
from vrpcore.formats.json.values import JsonRow, about
from vrpcore.formats.sheets.bundle import SheetsDocument
from vrpcore.formats.vroom.vroom_documents import VroomProblem
from vrpcore.instance.constraints import GoodsKind
from vrpcore.instance.origin import InKind
from vrpcore.solve.solve_options import Improve

_JSON = "application/json"
_REFERENCE = "#/components/schemas/{name}"

# What depends on several values is beyond a schema, and answered with status `invalid`.


def _named(*names: str) -> dict[str, Any]:
    """A schema of `SCHEMAS` by its name, or any of several."""
    found = [{"$ref": _REFERENCE.format(name=name)} for name in names]
    return found[0] if len(found) == 1 else {"anyOf": found}


class InstancesDocument(JsonRow):
    """Instances with the name of their format."""

    instances: Annotated[Any, Meta(extra_json_schema=_named("Instances"))]
    format: Literal["vrp-instances/1"] | UnsetType = UNSET


class WarmStarted(JsonRow):
    """Each an object, or the text of a file; a workbook in base64."""

    instances: Any
    warm_start: Any


class Table(msgspec.Struct):
    """The kind of a spreadsheet's rows."""

    tables: list[Literal["stops", "fleet"]]


# fmt: off
class Solutions(msgspec.Struct):
    """Answers, one for each instance."""

    format: Annotated[Literal["vrp-solutions/1"], about("The version.")]
    model: Annotated[dict[str, Any] | None, about(
        "What constructed routes; of two, the one for plain instances; null: none did.")]
    summary: Annotated[dict[str, Any], about(
        "Counts by status, total cost, seconds, and how it was searched.")]
    solutions: Annotated[list[SolutionDocument], about("One for each instance, in order.")]


class VroomAnswer(JsonRow):
    """An answer to a problem of VROOM's; to several a list."""

    code: Literal[0, 1, 2, 3, 4]
    error: str | UnsetType = UNSET
    summary: dict[str, Any] | UnsetType = UNSET
    unassigned: list[dict[str, Any]] | UnsetType = UNSET
    routes: list[dict[str, Any]] | UnsetType = UNSET
    warnings: list[str] | UnsetType = UNSET


# One for each instance: ours, or those to one problem of VROOM's or several.
_ANSWERED = ("Solutions", "VroomAnswer", "VroomAnswers")


class AnswerFile(msgspec.Struct):
    """An answer in the format of what was sent."""

    name: Annotated[str, about("Of the file.")]
    type: Annotated[str, about("Its media type.")]
    text: Annotated[str, about("What it holds.")]


class SolutionsAndInKind(JsonRow):
    """Answers, the same in kind, and of each its tables and timeline."""

    solutions: Solutions
    in_kind: AnswerFile | None
    views: list[dict[str, Any]]


class Preview(msgspec.Struct):
    """An instance as it was read."""

    in_kind: Annotated[InKind | None, about("Format of its answer; null: JSON.")]
    instance: Annotated[dict[str, Any], about("The instance as JSON.")]
    clock: Annotated[int | None, about("Seconds in a unit of time, if these are times of day.")]
    notes: Annotated[list[str], about("What the author of a spreadsheet should know.")]
    names: Annotated[dict[str, str], about("What people call stops, by id.")]
    far: Annotated[list[int], about("Rows of locations far from all others, depots first.")]
    left_out: Annotated[list[str], about(
        "What `instance` lacks: large `matrices`; that VROOM's shipments count twice.")]


class Refused(msgspec.Struct):
    """An instance that is not valid."""

    in_kind: Annotated[InKind | None, about("Format of its answer; null: JSON.")]
    name: Annotated[str, about("Of the instance.")]
    code: Annotated[str, about("Why, as a code.")]
    error: Annotated[str, about("Why, in words.")]


# Item by item.
_Items = Annotated[list[Any], Meta(extra_json_schema={"items": _named("Preview", "Refused")})]


class Previews(msgspec.Struct):
    """The instances that were read."""

    items: _Items


class Reason(msgspec.Struct):
    """A reason, in words and as a stable code."""

    code: str
    message: str


class Error(msgspec.Struct):
    """The reason why there is no answer; `items` of what was previewed."""

    error: Reason
    request_id: str | UnsetType = UNSET
    answer: Solutions | UnsetType = UNSET
    items: _Items | UnsetType = UNSET


class Searched(JsonRow):
    """The best plan so far of an instance that is being searched."""

    position: Annotated[int, about("Of the instance in the job, from 0.")]
    name: Annotated[str, about("Of the instance.")]
    cost: Annotated[float | None, about(
        "Of the best plan so far; null: it leaves required stops out, or a plan is kept.")]
    iterations: Annotated[int, about("Of the search so far.")]


class Progress(JsonRow):
    """Progress of a job."""

    seconds: Annotated[float, about("Since the job began.")]
    finished: Annotated[int, about("Instances with an answer.")]
    searched: Annotated[list[Searched], about("Instances whose search is running.")]


class Job(msgspec.Struct):
    """A job as it stands."""

    id: Annotated[str, about("Its name.")]
    status: Annotated[Literal["queued", "running", "done", "failed"], about("How far it is.")]
    instances: Annotated[int, about("How many it has.")]
    submitted: Annotated[float | UnsetType, about("When, in seconds since 1970.")] = UNSET
    finished: Annotated[float | UnsetType | None, about("When, in seconds since 1970.")] = UNSET
    improve: Annotated[Improve | UnsetType, about("As asked for.")] = UNSET
    fewest_vehicles: Annotated[bool | UnsetType, about("As asked for.")] = UNSET
    keep_cost: Annotated[float | UnsetType | None, about("As asked for.")] = UNSET
    freeze: Annotated[float | str | UnsetType | None, about("As asked for.")] = UNSET
    lost: Annotated[str | UnsetType | None, about("As asked for.")] = UNSET
    goods: Annotated[GoodsKind | UnsetType | None, about("As asked for.")] = UNSET
    time_limit: Annotated[float | UnsetType | None, about("As asked for.")] = UNSET
    answer: Annotated[Annotated[Any, Meta(extra_json_schema=_named(*_ANSWERED))], about(
        "Of a job that is done.")] = UNSET
    error: Annotated[dict[str, Any] | UnsetType, about("Why it failed: `code`, `message`.")] = UNSET
    progress: Annotated[Progress | UnsetType, about("Of a job that is running.")] = UNSET
    age: Annotated[float | UnsetType, about("In a list: seconds since it was submitted.")] = UNSET


class JobList(JsonRow):
    """A page of jobs."""

    jobs: Annotated[list[Job], about("The newest first, without answers.")]
    next: Annotated[int | None, about("`before` of the next page; null on the last one.")]
    # fmt: on


class Event(msgspec.Struct):
    """A change of a job."""

    data: Annotated[
        str,
        Meta(extra_json_schema={"contentMediaType": _JSON, "contentSchema": _named("Job")}),
    ]


# What clients make types of, by name.
SCHEMAS: dict[str, dict[str, Any]] = {
    **msgspec.json.schema_components(
        [
            InstanceDocument, InstancesDocument, WarmStarted, Table, SolutionsAndInKind,
            SheetsDocument, VroomProblem, VroomAnswer, Preview, Refused, Previews, Error, JobList,
            Event,
        ],
        ref_template=_REFERENCE,
    )[1],
    # What is no instance has its place among the others, and a status of its own.
    "Instances": {"type": "array", "items": {"anyOf": [_named("InstanceDocument"), {}]}},
    "VroomAnswers": {"type": "array", "items": _named("VroomAnswer")},
}  # fmt: skip
_EXAMPLE = {
    "name": "monday-north",
    "capacity": 40,
    "depot": [0.42, 0.51],
    "customers": [
        {"id": "order-17", "x": 0.1, "y": 0.9, "demand": 3},
        {"id": "order-18", "x": 0.6, "y": 0.2, "demand": 38},
    ],
}
_SECURITY: dict[str, dict[str, str]] = {
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "password": {"type": "http", "scheme": "basic"},
}
_OPEN_TAG = "health"
_FRAMEWORKS = "HTTPValidationError"  # what it describes of its own accord


def _with(description: str, *names: str, kind: str = _JSON) -> dict[str, Any]:
    return {"description": description, "content": {kind: {"schema": _named(*names)}}}


def _sent(schema: dict[str, Any], kind: str = _JSON, **more: object) -> dict[str, Any]:
    content = {kind: {"schema": schema, **more}}
    return {"requestBody": {"required": True, "content": content}}


_BODIES = ("InstanceDocument", "VroomProblem", "SheetsDocument", "Instances", "InstancesDocument")
BODY = _sent(_named(*_BODIES, "WarmStarted"), example=_EXAMPLE)
TEXT_BODY = _sent({"type": "string"}, "text/plain")
EXPRESS_BODY = _sent(_named("VroomProblem"))
TABLE = _with("What the rows are.", "Table")
ERROR = _with("The reason, as text and as a stable code.", "Error")
JOB = _with("The state of the job.", "Job")
# Each event; a description of 3.1 has no other place for it.
EVENTS = _with("The state of the job, until it ends.", "Event", kind="text/event-stream")
JOBS = _with("A page of jobs, without answers.", "JobList")
DOCUMENT: dict[int | str, dict[str, Any]] = {
    200: {"description": "Yes.", "content": {_JSON: {"schema": {"type": "object"}}}}
}
PREVIEWS = _with("What was read, item by item.", "Previews")
NOTHING_PREVIEWED = _with("The body contains no valid instance.", "Error")
NOTHING_VALID = _with("The body contains no valid instance.", "Error", *_ANSWERED[1:])
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: _with("A status for each instance.", *_ANSWERED, "SolutionsAndInKind"),
    **dict.fromkeys((400, 413, 429, 502, 503), ERROR),
    422: NOTHING_VALID,
    500: _with("An internal error left no answer.", "Error", *_ANSWERED[1:]),
}
EXPRESS: dict[int | str, dict[str, Any]] = {
    200: _with("VROOM's answer.", "VroomAnswer"),
    **dict.fromkeys((400, 413, 429, 500), _with("`code` and `error`.", "VroomAnswer")),
}


def described(app: FastAPI, *, secured: bool) -> dict[str, Any]:
    """The description of an application, with named schemas and how to show the key.

    Args:
        app: With all routes.
        secured: Requests, but those about its health, need the key.
    """
    if app.openapi_schema is None:
        found = FastAPI.openapi(app)
        for methods in found["paths"].values():
            for each in methods.values():  # a wrong query is 400 here
                if _FRAMEWORKS in json.dumps(each["responses"].get("422")):
                    del each["responses"]["422"]
        parts = found.setdefault("components", {})
        parts["schemas"] = SCHEMAS
        if secured:
            parts["securitySchemes"] = _SECURITY
            found["security"] = [{name: []} for name in _SECURITY]
            for path, methods in found["paths"].items():
                for each in methods.values():
                    if _OPEN_TAG in each["tags"] and path != "/metrics":
                        each["security"] = []
    return FastAPI.openapi(app)
