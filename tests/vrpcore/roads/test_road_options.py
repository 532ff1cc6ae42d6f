"""Options of roads: what is refused, and where replies are kept."""

import math
from pathlib import Path

import pytest

from vrpcore.errors import ConfigError
from vrpcore.roads.road_options import (
    Address,
    RoadOptions,
    default_cache,
    parse_address,
)


def test_an_address_is_a_service_and_a_url_without_a_slash_at_its_end():
    assert parse_address("osrm=http://localhost:5000/") == Address("osrm", "http://localhost:5000")
    url = "https://routing.example.org/routed-bike"
    assert parse_address(f"osrm={url}") == Address("osrm", url)
    assert parse_address("osm=maps/a=b.osm.pbf") == Address("osm", "maps/a=b.osm.pbf")
    assert RoadOptions(matrix="ors=https://[::1]:8443").address.where == "https://[::1]:8443"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("google=http://x", "matrix: 'google=http://x', expected osrm=URL, valhalla=URL, ors=URL"),
        ("osrm", "matrix: 'osrm', expected osrm=URL"),
        ("osm=", "matrix: 'osm=', expected osrm=URL, valhalla=URL, ors=URL, osm=FILE or haversine"),
        ("osrm=localhost:5000", "expected http://HOST or https://HOST"),
        ("osrm=file:///etc/passwd", "expected http://HOST or https://HOST"),
        ("osrm=gopher://x/", "expected http://HOST or https://HOST"),
        ("osrm=http://", "expected http://HOST or https://HOST"),
        ("osrm=http://x:99999", "matrix: 'http://x:99999' is not a URL"),
        ("osrm=http://x:0", "expected http://HOST or https://HOST"),
        ("osrm=http://x/ y", "is not a URL"),
        ("osrm=http://x\r\nHost: y", "is not a URL"),
        ("osrm=http://[::1", "is not a URL"),
        ("ors=https://x?api_key=5", "ors at x: expected a URL without user, password, ? and #"),
        ("ors=https://me:secret@x", "ors at x: expected a URL without user, password, ? and #"),
        ("ors=https://x#y", "ors at x: expected a URL without"),
    ],
)
def test_other_sources_are_refused(text, message):
    with pytest.raises(ConfigError) as caught:
        RoadOptions(matrix=text)
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


def test_options_without_a_source_are_refused_by_name():
    for change in ({"matrix_time": "min"}, {"matrix_timeout_s": 3.0}):
        name = next(iter(change)).removesuffix("_s")
        with pytest.raises(ConfigError, match=f"^{name}: needs matrix, expected osrm=URL"):
            RoadOptions(**change)
    assert RoadOptions().address is None


@pytest.mark.parametrize("name", ["", "a/b", "..", "a?b", "a b", "a%2fb", "ä", "x" * 65, "a;b"])
def test_a_profile_means_nothing_in_a_url(name):
    with pytest.raises(ConfigError, match=r"^matrix_profile: .* is not a profile"):
        RoadOptions(matrix="osrm=http://x", matrix_profile=name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"matrix_block": 0}, "matrix_block: 0 is not between 1 and 1000"),
        ({"matrix_block": 1001}, "matrix_block: 1001 is not between 1 and 1000"),
        ({"matrix_time": "d"}, "matrix_time: 'd' is not one of s, min, h"),
        (
            {"matrix_timeout_s": math.inf},
            "matrix_timeout_s: inf is not a positive number up to 86400.0",
        ),
        ({"matrix_cache": ""}, "matrix_cache: '', expected a folder, or none"),
    ],
)
def test_values_out_of_range(change, message):
    with pytest.raises(ConfigError) as caught:
        RoadOptions(matrix="osrm=http://x", **change)
    assert str(caught.value) == message


def test_replies_are_kept_in_the_users_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache() == tmp_path / "vrp" / "roads"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_cache() == tmp_path / ".cache" / "vrp" / "roads"
    source = {"matrix": "osrm=http://x"}
    assert RoadOptions(**source).cache_folder == default_cache()
    assert RoadOptions(**source, matrix_cache="there").cache_folder == Path("there")
    assert RoadOptions(**source, matrix_cache="none").cache_folder is None
