"""What the routes take and give, for `/openapi.json`."""

from typing import Any

from vrpcore.formats.fields import MAX_MAGNITUDE
from vrpcore.instance.instance import METRICS

_JSON = "application/json"

_ID = {"type": ["integer", "string"]}
_NUMBER = {"type": "number", "minimum": -MAX_MAGNITUDE, "maximum": MAX_MAGNITUDE}
_DEMAND = {"type": "number", "minimum": 0, "maximum": MAX_MAGNITUDE}
_POINT = {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2}
# A demand above its capacity, an id given twice, a load that fits into no vehicle: what
# depends on several values is beyond a schema, and answered with status `invalid`.
_INSTANCE: dict[str, Any] = {
    "type": "object",
    "required": ["capacity"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "capacity": {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_MAGNITUDE},
        "depot": _POINT,
        "customers": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["demand"],
                "additionalProperties": False,
                "properties": {"id": _ID, "x": _NUMBER, "y": _NUMBER, "demand": _DEMAND},
                "dependentRequired": {"x": ["y"], "y": ["x"]},
            },
        },
        "coords": {"type": "array", "items": _POINT},
        "demands": {"type": "array", "items": _DEMAND},
        "metric": {"enum": list(METRICS)},
        "distances": {"type": "array", "items": {"type": "array", "items": _NUMBER}},
        "max_vehicles": {"type": "integer", "minimum": 1},
        "routes": {"type": "array", "items": {"type": "array", "items": _ID}},
    },
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
_SOLUTION: dict[str, Any] = {
    "type": "object",
    "required": ["name", "status"],
    "properties": {
        "name": {"type": "string"},
        "status": {"enum": ["solved", "invalid", "infeasible", "not_found"]},
        "cost": {"type": "number"},
        "routes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "customers": {"type": "array", "items": _ID},
                    "load": {"type": ["number", "null"]},
                    "cost": {"type": ["number", "null"]},
                },
            },
        },
        "gap": {"type": ["number", "null"]},
        "warnings": {"type": "array", "items": {"type": "string"}},
        "code": {"type": "string"},
        "error": {"type": "string"},
    },
}
_SOLUTIONS: dict[str, Any] = {
    "type": "object",
    "required": ["format", "model", "summary", "solutions"],
    "properties": {
        "format": {"const": "vrp-solutions/1"},
        "model": {"type": "object"},
        "summary": {"type": "object"},
        "solutions": {"type": "array", "items": _SOLUTION},
    },
}
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
        "time_limit": {"type": ["number", "null"]},
        "answer": _SOLUTIONS,
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
ERROR = _with("Why not, in words and as a stable code.", _ERROR_BODY)
JOB = _with("How the job stands.", _JOB_BODY)
DOCUMENT: dict[int | str, dict[str, Any]] = {200: _with("Yes.", {"type": "object"})}
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: _with("A status for each instance.", _SOLUTIONS),
    400: ERROR,
    413: ERROR,
    422: _with("Nothing in it is valid.", _ERROR_BODY),
    429: ERROR,
}
