"""Solutions as a document."""

from vrpcore.formats.answers.solution_json import DOCUMENT_HEAD, LINE_SEPARATOR, document_tail
from vrpcore.formats.write import solution_to_line


def document_of(solutions, model=None, summary=None):
    lines = LINE_SEPARATOR.join(map(solution_to_line, solutions))
    return DOCUMENT_HEAD + lines + document_tail(model, summary or {})
