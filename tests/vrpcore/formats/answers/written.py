"""Solutions as a document, and back from objects as a JSON parser returns them."""

import json

from vrpcore.formats.answers.solution_json import (
    DOCUMENT_HEAD,
    LINE_SEPARATOR,
    document_tail,
    read_solution,
)
from vrpcore.formats.json.jsonparse import JsonText
from vrpcore.formats.write import solution_to_line


def document_of(solutions, model=None, summary=None):
    lines = LINE_SEPARATOR.join(map(solution_to_line, solutions))
    return DOCUMENT_HEAD + lines + document_tail(model, summary or {})


def answer_of(value, place="solutions[0]"):
    return read_solution(JsonText(json.dumps(value).encode()), place)
