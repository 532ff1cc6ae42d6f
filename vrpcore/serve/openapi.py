"""What the routes take and give, for `/openapi.json`."""

from typing import Any

from vrpcore.formats.answers.solution_json import SOLUTION
from vrpcore.formats.json.key_schema import object_of
from vrpcore.formats.json.keys import INSTANCE
from vrpcore.formats.sheets.bundle import BUNDLE
from vrpcore.formats.vroom.vroom_keys import PROBLEM

_JSON = "application/json"

# A demand above its capacity, an id given twice, a load that fits into no vehicle: what
# depends on several values is beyond a schema, and answered with status `invalid`.
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
_INSTANCES = {"type": "array", "items": {"anyOf": [_INSTANCE, {}]}}
_SOLUTIONS: dict[str, Any] = {
    "type": "object",
    "required": ["format", "model", "summary", "solutions"],
    "properties": {
        "format": {"const": "vrp-solutions/1"},
        "model": {"type": ["object", "null"]},
        "summary": {"type": "object"},
        "solutions": {"type": "array", "items": object_of(SOLUTION)},
    },
}
# To problems of VROOM's; to several a list.
_VROOM: dict[str, Any] = {
    "type": "object",
    "required": ["code"],
    "properties": {
        "code": {"enum": [0, 1, 2]},
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
        "solutions": _SOLUTIONS,
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
                        "required": ["in_kind", "instance", "clock", "notes", "left_out"],
                        "properties": {
                            "in_kind": _KIND,
                            "instance": {"type": "object"},
                            "clock": {"type": ["integer", "null"]},
                            "notes": _STRINGS,
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
_IN_KIND = [_VROOM, {"type": "array", "items": _VROOM}]
_ERROR_BODY: dict[str, Any] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        },
        "answer": _SOLUTIONS,
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
        "time_limit": {"type": ["number", "null"]},
        "answer": {"anyOf": [_SOLUTIONS, *_IN_KIND]},
        "error": {"type": "object"},
    },
}


def _with(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {_JSON: {"schema": schema}}}


BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            _JSON: {
                "schema": {
                    "oneOf": [
                        _INSTANCE,
                        object_of(PROBLEM),
                        object_of(BUNDLE),
                        _INSTANCES,
                        {
                            "type": "object",
                            "required": ["instances"],
                            "additionalProperties": False,
                            "properties": {
                                "format": {"const": "vrp-instances/1"},
                                "instances": _INSTANCES,
                            },
                        },
                    ]
                }
            }
        },
    }
}
TEXT_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {"text/plain": {"schema": {"type": "string"}}}}
}
TABLE = _with(
    "What the rows are.",
    {
        "type": "object",
        "required": ["table"],
        "properties": {"table": {"enum": ["stops", "fleet", None]}},
    },
)
ERROR = _with("The reason, as text and as a stable code.", _ERROR_BODY)
JOB = _with("How the job stands.", _JOB_BODY)
DOCUMENT: dict[int | str, dict[str, Any]] = {200: _with("Yes.", {"type": "object"})}
NOTHING_VALID = _with("The body contains no valid instance.", {"anyOf": [_ERROR_BODY, *_IN_KIND]})
PREVIEWS = _with("What was read, item by item.", _PREVIEWS)
NOTHING_PREVIEWED = _with(
    "The body contains no valid instance.",
    {**_ERROR_BODY, "properties": {**_ERROR_BODY["properties"], **_PREVIEWS["properties"]}},
)
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: _with("A status for each instance.", {"anyOf": [_SOLUTIONS, *_IN_KIND, _BOTH]}),
    400: ERROR,
    413: ERROR,
    422: NOTHING_VALID,
    429: ERROR,
    500: _with("An internal error left no answer.", {"anyOf": [_ERROR_BODY, *_IN_KIND]}),
}
