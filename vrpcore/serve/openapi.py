"""What the routes take and give, for `/openapi.json`."""

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from vrpcore.formats.answers.solution_json import SOLUTION
from vrpcore.formats.json.key_schema import object_of
from vrpcore.formats.json.keys import INSTANCE
from vrpcore.formats.sheets.bundle import BUNDLE
from vrpcore.formats.vroom.vroom_keys import PROBLEM
from vrpcore.instance.constraints import GOODS

_JSON = "application/json"

# A demand above its capacity, an id given twice, a load that fits into no vehicle: what
# depends on several values is beyond a schema, and answered with status `invalid`.


def _named(name: str) -> dict[str, str]:
    """A schema of `SCHEMAS` by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


_INSTANCE: dict[str, Any] = {
    **object_of(INSTANCE),
    "oneOf": [
        {
            "required": ["customers"],
            "not": {"anyOf": [{"required": ["coords"]}, {"required": ["demands"]}]},
        },
        {"required": ["demands"], "not": {"required": ["customers"]}},
    ],
    "anyOf": [
        {"required": ["distances"]},
        {"required": ["depot", "customers"]},
        {"required": ["depot", "coords"]},
    ],
}
# What is no instance has its place among the others, and a status of its own.
_INSTANCES = {"type": "array", "items": {"anyOf": [_named("Instance"), {}]}}
_INSTANCES_DOCUMENT: dict[str, Any] = {
    "type": "object",
    "required": ["instances"],
    "additionalProperties": False,
    "properties": {"format": {"const": "vrp-instances/1"}, "instances": _named("Instances")},
}
_TABLE: dict[str, Any] = {
    "type": "object",
    "required": ["tables"],
    "properties": {"tables": {"type": "array", "items": {"enum": ["stops", "fleet"]}}},
}
# Each as an object, or as the text of a file; a workbook in base64.
_WARM_STARTED: dict[str, Any] = {
    "type": "object",
    "required": ["instances", "warm_start"],
    "additionalProperties": False,
    "properties": {"instances": {}, "warm_start": {}},
}
_SOLUTIONS: dict[str, Any] = {
    "type": "object",
    "required": ["format", "model", "summary", "solutions"],
    "properties": {
        "format": {"const": "vrp-solutions/1"},
        "model": {"type": ["object", "null"]},
        "summary": {"type": "object"},
        "solutions": {"type": "array", "items": _named("Solution")},
    },
}
# To problems of VROOM's; to several a list.
_VROOM: dict[str, Any] = {
    "type": "object",
    "required": ["code"],
    "properties": {
        "code": {"enum": [0, 1, 2, 3, 4]},
        "error": {"type": "string"},
        "summary": {"type": "object"},
        "unassigned": {"type": "array", "items": {"type": "object"}},
        "routes": {"type": "array", "items": {"type": "object"}},
        "warnings": {"type": "array", "items": {"type": "string"}},
    },
    "additionalProperties": False,
}
_TEXTS = {name: {"type": "string"} for name in ("name", "type", "text")}
_BOTH: dict[str, Any] = {
    "type": "object",
    "required": ["solutions", "in_kind"],
    "additionalProperties": False,
    "properties": {
        "solutions": _named("Solutions"),
        "in_kind": {
            "anyOf": [
                {"type": "object", "required": [*_TEXTS], "properties": _TEXTS},
                {"type": "null"},
            ]
        },
    },
}
_KIND: dict[str, Any] = {"enum": ["csv", "vroom", None]}
_STRINGS = {"type": "array", "items": {"type": "string"}}
_PREVIEWS: dict[str, Any] = {
    "type": "object",
    "required": ["items"],
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "anyOf": [
                    {
                        "type": "object",
                        "required": [
                            "in_kind",
                            "instance",
                            "clock",
                            "notes",
                            "names",
                            "left_out",
                        ],
                        "properties": {
                            "in_kind": _KIND,
                            "instance": {"type": "object"},
                            "clock": {"type": ["integer", "null"]},
                            "notes": _STRINGS,
                            "names": {
                                "type": "object",
                                "additionalProperties": {"type": "string"},
                            },
                            "left_out": _STRINGS,
                        },
                    },
                    {
                        "type": "object",
                        "required": ["in_kind", "name", "code", "error"],
                        "properties": {
                            "in_kind": _KIND,
                            "name": {"type": "string"},
                            "code": {"type": "string"},
                            "error": {"type": "string"},
                        },
                    },
                ]
            },
        }
    },
}
_IN_KIND = [_named("VroomAnswer"), {"type": "array", "items": _named("VroomAnswer")}]
_ERROR_BODY: dict[str, Any] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        },
        "request_id": {"type": "string"},
        "answer": _named("Solutions"),
    },
}
_JOB_BODY: dict[str, Any] = {
    "type": "object",
    "required": ["id", "status", "instances"],
    "properties": {
        "id": {"type": "string"},
        "status": {"enum": ["queued", "running", "done", "failed"]},
        "instances": {"type": "integer"},
        "submitted": {"type": "number"},
        "finished": {"type": ["number", "null"]},
        "improve": {"enum": ["none", "fast", "deep"]},
        "fewest_vehicles": {"type": "boolean"},
        "keep_cost": {"type": ["number", "null"]},
        "freeze": {"type": ["number", "string", "null"]},
        "lost": {"type": ["string", "null"]},
        "goods": {"enum": [*GOODS, None]},
        "time_limit": {"type": ["number", "null"]},
        "answer": {"anyOf": [_named("Solutions"), *_IN_KIND]},
        "error": {"type": "object"},
        "progress": _named("Progress"),
        "age": {"type": "number"},
    },
}
_PROGRESS: dict[str, Any] = {
    "type": "object",
    "required": ["seconds", "finished", "searched"],
    "additionalProperties": False,
    "properties": {
        "seconds": {"type": "number"},
        "finished": {"type": "integer"},
        "searched": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["position", "name", "cost", "iterations"],
                "additionalProperties": False,
                "properties": {
                    "position": {"type": "integer"},
                    "name": {"type": "string"},
                    "cost": {"type": ["number", "null"]},
                    "iterations": {"type": "integer"},
                },
            },
        },
    },
}
_JOB_LIST: dict[str, Any] = {
    "type": "object",
    "required": ["jobs", "next"],
    "additionalProperties": False,
    "properties": {
        "jobs": {"type": "array", "items": _named("Job")},
        "next": {"type": ["integer", "null"]},
    },
}
_NOTHING_PREVIEWED: dict[str, Any] = {
    **_ERROR_BODY,
    "properties": {**_ERROR_BODY["properties"], **_PREVIEWS["properties"]},
}
_EXAMPLE = {
    "name": "monday-north",
    "capacity": 40,
    "depot": [0.42, 0.51],
    "customers": [
        {"id": "order-17", "x": 0.1, "y": 0.9, "demand": 3},
        {"id": "order-18", "x": 0.6, "y": 0.2, "demand": 38},
    ],
}
# What clients make types of, by name.
SCHEMAS: dict[str, dict[str, Any]] = {
    "Error": _ERROR_BODY,
    "Instance": _INSTANCE,
    "Instances": _INSTANCES,
    "InstancesDocument": _INSTANCES_DOCUMENT,
    "Job": _JOB_BODY,
    "JobList": _JOB_LIST,
    "NothingPreviewed": _NOTHING_PREVIEWED,
    "Previews": _PREVIEWS,
    "Progress": _PROGRESS,
    "Sheets": object_of(BUNDLE),
    "Solution": object_of(SOLUTION),
    "Solutions": _SOLUTIONS,
    "SolutionsAndInKind": _BOTH,
    "Table": _TABLE,
    "VroomAnswer": _VROOM,
    "WarmStarted": _WARM_STARTED,
    "VroomProblem": object_of(PROBLEM),
}
_SECURITY: dict[str, dict[str, str]] = {
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "password": {"type": "http", "scheme": "basic"},
}
_OPEN_TAG = "health"
_FRAMEWORKS = "HTTPValidationError"  # what it describes of its own accord


def _with(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {_JSON: {"schema": schema}}}


BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            _JSON: {
                "schema": {
                    "oneOf": [
                        _named("Instance"),
                        _named("VroomProblem"),
                        _named("Sheets"),
                        _named("Instances"),
                        _named("InstancesDocument"),
                        _named("WarmStarted"),
                    ]
                },
                "example": _EXAMPLE,
            }
        },
    }
}
TEXT_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {"text/plain": {"schema": {"type": "string"}}}}
}
TABLE = _with("What the rows are.", _named("Table"))
ERROR = _with("The reason, as text and as a stable code.", _named("Error"))
JOB = _with("The state of the job.", _named("Job"))
# Each event; a description of 3.1 has no other place for it.
_EVENT: dict[str, Any] = {
    "type": "object",
    "required": ["data"],
    "properties": {
        "data": {
            "type": "string",
            "contentMediaType": _JSON,
            "contentSchema": _named("Job"),
        }
    },
}
EVENTS: dict[str, Any] = {
    "description": "The state of the job, until it ends.",
    "content": {"text/event-stream": {"schema": _EVENT}},
}
JOBS = _with("A page of jobs, without answers.", _named("JobList"))
DOCUMENT: dict[int | str, dict[str, Any]] = {200: _with("Yes.", {"type": "object"})}
NOTHING_VALID = _with(
    "The body contains no valid instance.", {"anyOf": [_named("Error"), *_IN_KIND]}
)
PREVIEWS = _with("What was read, item by item.", _named("Previews"))
NOTHING_PREVIEWED = _with(
    "The body contains no valid instance.",
    _named("NothingPreviewed"),
)
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: _with(
        "A status for each instance.",
        {"anyOf": [_named("Solutions"), *_IN_KIND, _named("SolutionsAndInKind")]},
    ),
    400: ERROR,
    413: ERROR,
    422: NOTHING_VALID,
    429: ERROR,
    500: _with("An internal error left no answer.", {"anyOf": [_named("Error"), *_IN_KIND]}),
    502: ERROR,
    503: ERROR,
}
_VROOM_ERROR = _with("`code` and `error`.", _named("VroomAnswer"))
EXPRESS: dict[int | str, dict[str, Any]] = {
    200: _with("VROOM's answer.", _named("VroomAnswer")),
    **dict.fromkeys((400, 413, 429, 500), _VROOM_ERROR),
}
EXPRESS_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {_JSON: {"schema": _named("VroomProblem")}}}
}


def described(app: FastAPI, *, secured: bool, root_path: str = "") -> dict[str, Any]:
    """The description of an application, with named schemas and how to show the key.

    Args:
        app: With all routes.
        secured: Requests, but those about its health, need the key.
        root_path: The prefix of its paths.
    """
    if app.openapi_schema is None:
        found = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            servers=[{"url": root_path or "/"}],
        )
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
        app.openapi_schema = found
    return app.openapi_schema
