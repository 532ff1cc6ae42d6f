"""Both readings of a text agree: the fast one finds what the slow one says."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vrpcore.formats.json.cases import COMPACT, SHORT, WHOLE, spoiled, with_
from tests.vrpcore.formats.json.working_day import DAY
from vrpcore.errors import InstanceError
from vrpcore.formats.json import fast_reading
from vrpcore.formats.json.documents import InstanceDocument, PlainDocument
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.json.fast_reading import DOCUMENTS, read_text
from vrpcore.formats.json.jsonparse import JsonText

SPACE = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", "\t:  ")])


def fast(text):
    return read_text(JsonText(text), "i", *DOCUMENTS)


def slow(text):
    return read_as(InstanceDocument, JsonText(text).parsed("i"), "i")


def outcome(read, text):
    try:
        return msgspec.to_builtins(read(text))
    except InstanceError as error:
        return error.code, str(error)


@given(spoiled(WHOLE) | WHOLE, SPACE, st.booleans())
def test_any_value_is_read_or_refused_alike(value, space, is_ascii):
    text = json.dumps(value, separators=space, ensure_ascii=is_ascii)
    data = text.encode(errors="surrogatepass")
    assert outcome(fast, data) == outcome(slow, data)


NUMBERS = "NaN -Infinity 1e400 1e-101 1E-0101 0.01e-99 -0.01e-99 0.0e-999 1e-100 01 1. -0 .5 2.0"
ODD = [f"0.{'0' * zeros}1" for zeros in (49, 50, 99, 100)] + ["7" * 5000, "[" * 5000 + "]" * 5000]
ODD += [f"0.{'0' * zeros}1e-{99 - zeros}" for zeros in (1, 48, 49, 50, 90)]
ODD += [f"0.{'0' * zeros}1e-{100 - zeros}" for zeros in (1, 48, 49, 50, 90)]
ODD += ['"\\ud800"', '"\\u003a null"', '":null"', '": null"', '"\\u006e:"', '"\x01"', "tru", ""]


@pytest.mark.parametrize("token", [*NUMBERS.split(), *ODD], ids=lambda token: token[:9])
def test_odd_words_of_a_text_are_read_or_refused_alike(token):
    for value in (SHORT, COMPACT, DAY):
        for key in ("name", "capacity", "demand", "service", "end", "after"):
            data = json.dumps({**value, key: "?"}).replace('"?"', token).encode()
            inner = json.dumps(value).replace(f'"{key}": ', f'"{key}": {token}, "?": ', 1).encode()
            for each in (data, inner):
                assert outcome(fast, each) == outcome(slow, each)


@given(WHOLE, st.integers(0), st.binary(max_size=2))
def test_damaged_texts_are_read_or_refused_alike(value, position, damage):
    data = json.dumps(value).encode()
    cut = position % len(data)
    for each in (data[:cut] + damage + data[cut + 1 :], data[:cut]):
        assert outcome(fast, each) == outcome(slow, each)


def objects(value, path=()):
    """The paths to all objects with keys, and these."""
    if isinstance(value, dict) and value:
        yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for at, each in inner:
        if isinstance(each, dict | list):
            yield from objects(each, (*path, at))


@given(WHOLE, SPACE, st.data())
def test_a_key_given_twice_is_found_anywhere(value, space, data):
    path, owner = data.draw(st.sampled_from([*objects(value)]))
    key = data.draw(st.sampled_from([*owner]))
    again = data.draw(st.sampled_from([None, ": null", 1, owner[key]]))
    first, second = data.draw(st.permutations([owner[key], again]))
    text = json.dumps(with_(value, *path, **{key: first, "?": second}), separators=space)
    shown = data.draw(st.sampled_from([json.dumps(key), f'"\\u{ord(key[0]):04x}{key[1:]}"']))
    code, message = outcome(fast, text.replace('"?"', shown).encode())
    assert code == "DUPLICATE"
    assert f": duplicate key {key!r}; keep only one" in message


def test_what_is_right_is_not_read_slowly(monkeypatch):
    plain = {"name": "a: null", "capacity": 9, "demands": [1], "distances": [[0, None], [1, 0]]}
    nulls = {"name": None, "vehicles": [{"start": "0", "end": None}], "customers": []}
    named = {"matrices": {"m": {"durations": [[1e-9]], "costs": None}}, "distances": [[0]]}
    monkeypatch.setattr(fast_reading, "read_as", None)
    for value, kind in ((plain, PlainDocument), (nulls | named, InstanceDocument)):
        for space in (None, (",", ":"), (" , ", " :\t")):
            assert type(fast(json.dumps(value, separators=space).encode())) is kind


def test_large_texts_are_refused_with_their_place(monkeypatch):
    monkeypatch.setattr(fast_reading, "is_too_large", lambda _: True)
    assert isinstance(fast(json.dumps(SHORT).encode()), InstanceDocument)
    code, message = outcome(fast, b'{"capacity": 9, "demands": [1, 2')
    assert (code, message[:24]) == ("SYNTAX", "i: line 1, column 33: no")
