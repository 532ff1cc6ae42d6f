"""`python -m benchmarks keys`: the tables of keys in docs/interface, from their declarations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
import typer
from msgspec import inspect

from benchmarks import records
from vrpcore.cli.console import edge
from vrpcore.errors import ConfigError, advice
from vrpcore.formats.answers import solution_json
from vrpcore.formats.files import write_text
from vrpcore.formats.json import documents
from vrpcore.formats.sheets import bundle
from vrpcore.formats.sheets.headings import FLEET_HEADINGS, STOP_HEADINGS, words
from vrpcore.formats.sheets.sheet_columns import FLEET, STOPS
from vrpcore.formats.vroom import vroom_documents
from vrpcore.serve import openapi

HELP = """Render the tables of keys in docs/interface from their declarations.

What stands between <!-- keys: ROW --> and <!-- end --> is written anew: each key of a row, the
values that it takes and what it means. Of ROW - OTHER, keys that both declare alike are left out;
several rows are one table of names. <!-- columns: stops --> and fleet are those of spreadsheets.
"""
ROWS = {
    name: each
    for module in (documents, solution_json, vroom_documents, bundle, openapi)
    for name, each in vars(module).items()
    if isinstance(each, type) and issubclass(each, msgspec.Struct)
}
COLUMNS = {"stops": (STOPS, STOP_HEADINGS), "fleet": (FLEET, FLEET_HEADINGS)}
_BLOCK = re.compile(r"<!-- (keys|columns): ([^\n>]+) -->\n(?:.*?)<!-- end -->\n", re.DOTALL)
_NAMES: dict[Any, str] = {
    inspect.StrType: "text", inspect.BoolType: "true or false", inspect.StructType: "object",
}  # fmt: skip
_ALSO = 2  # other headings of a column that are shown
_LARGE = 2**31  # a limit beyond it is not worth a word


@edge()
def keys() -> None:
    """Render, and write."""
    for page in sorted((records.DOCS / "interface").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if (new := rendered(text)) != text:
            write_text(page, new)
            typer.echo(f"{page}: rendered")


def rendered(text: str) -> str:
    """A page with its tables written anew.

    Raises:
        ConfigError: A marker names nothing that is declared.
    """

    def block(found: re.Match[str]) -> str:
        kind, names = found[1], found[2].replace(" - ", " ").split()
        known = ROWS if kind == "keys" else COLUMNS
        for name in names:
            if name not in known:
                raise ConfigError(f"{kind}: {name}: not declared; {advice(name, known)}")
        if kind == "columns":
            shown = _columns(names[0])
        elif len(names) == 1 or " - " in found[2]:
            shown = _keys(*names)
        else:
            said = [(ROWS[name].__doc__ or "").partition("\n")[0].rstrip(".") for name in names]
            told = [", ".join(f"`{each.encode_name}`" for each in _fields(name)) for name in names]
            shown = _table("object keys", [*zip(said, told, strict=True)])
        return f"<!-- {kind}: {found[2]} -->\n{shown}\n<!-- end -->\n"

    return _BLOCK.sub(block, text)


def _fields(name: str) -> tuple[inspect.Field, ...]:
    row: Any = inspect.type_info(ROWS[name])
    found: tuple[inspect.Field, ...] = row.fields
    return found


def _keys(name: str, *others: str) -> str:
    left_out = [(field.encode_name, field.type) for other in others for field in _fields(other)]
    cells = []
    for field in _fields(name):
        if (field.encode_name, field.type) not in left_out:
            node: Any = field.type
            about = (getattr(node, "extra_json_schema", None) or {}).get("description", "")
            types = getattr(node.type if about else node, "types", ())
            null = field.default is not None and any(type(t) is inspect.NoneType for t in types)
            more = (" or null" if null else "") + (", required" if field.required else "")
            cells.append((f"`{field.encode_name}`", _value(node) + more, about))
    return _table("key value meaning", cells)


def _columns(table: str) -> str:
    vocabulary, headings = COLUMNS[table]
    cells, others = [], dict[str, list[str]]()
    for name, field in vocabulary.fields.items():
        if not field.about:
            others.setdefault("As the keys of JSON", []).append(f"`{name}`")
        elif vocabulary is not STOPS and STOPS.fields.get(name) == field:
            others.setdefault("As of stops", []).append(f"`{name}`")
        else:
            other = dict.fromkeys(words(f"{field.also} {headings.get(name, '')}"))
            also = ", ".join(f"`{each}`" for each in list(other)[:_ALSO])
            cells.append((f"`{name}`", also, field.about))
    told = [f"{as_what}: {', '.join(names)}." for as_what, names in others.items()]
    return "\n\n".join([_table("column also meaning", cells), *told])


def _table(head: str, rows: Sequence[tuple[str, ...]]) -> str:
    titles = head.split()
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in cells)])


def _value(node: Any, many: str = "", of: str = "") -> str:
    """The values of a type in words; `many` is an s where there are several."""
    if isinstance(node, inspect.Metadata):
        return _value(node.type, many, (node.extra or {}).get("of", of))
    if isinstance(node, inspect.UnionType):
        found = [_value(each, many) for each in node.types if type(each) is not inspect.NoneType]
        if found[:2] == ["text", "integer"]:
            return "id"
        text = " or ".join(each for each in found if each != "integer" or "number" not in found)
        return re.sub(r"^(number|[>≥] 0)( or list) of numbers.*", r"\1\2", text)
    if isinstance(node, inspect.LiteralType):
        return ", ".join(f"`{value}`" for value in node.values)
    if isinstance(node, inspect.TupleType):
        return re.sub(r".*(\[.*\]).*", r"\1", of)
    if isinstance(node, inspect.DictType):
        of = _value(node.value_type, "s")
        return f"object of {of}" if of != "any" else f"object{many}"
    if isinstance(node, inspect.ListType | inspect.VarTupleType):
        if of == "lists of numbers":
            return "matrix"
        own = "" if "dimensions" in of else of
        return f"list{many} of {own or _value(node.item_type, 's')}"
    if not isinstance(node, inspect.IntType | inspect.FloatType):
        return _NAMES.get(type(node), "any") + many * (type(node) in _NAMES)
    name = ("integer" if isinstance(node, inspect.IntType) else "number") + many
    if node.ge is None or node.ge <= -_LARGE:
        return name
    name = "" if name == "number" else f"{name} "  # a sign is enough
    least = "> 0" if 0 < node.ge < 1 else f"≥ {node.ge:g}"
    most = node.le is not None and node.le < _LARGE
    return f"{name}{least}, ≤ {node.le:g}" if most else f"{name}{least}"
