import pytest

from vrpcore.client import API_KEY_VARIABLE
from vrpcore.errors import ConfigError
from vrpcore.serve.settings import (
    ServeSettings,
    api_key_from_environment,
    default_jobs_file,
    tiles_origin,
)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_needs_no_key(host):
    assert ServeSettings(host=host).api_key is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", "localhost.evil"])  # noqa: S104
def test_other_hosts_need_one(host):
    with pytest.raises(
        ConfigError, match=f"can be reached from other machines; set {API_KEY_VARIABLE}"
    ):
        ServeSettings(host=host)
    assert ServeSettings(host=host, api_key="k" * 16).host == host


def test_the_key_is_never_shown():
    assert "secret" not in repr(ServeSettings(api_key="secret" * 4))


def test_the_key_comes_from_the_environment(monkeypatch):
    monkeypatch.delenv(API_KEY_VARIABLE, raising=False)
    assert api_key_from_environment() is None
    monkeypatch.setenv(API_KEY_VARIABLE, "0123456789abcdef")
    assert api_key_from_environment() == "0123456789abcdef"
    monkeypatch.setenv(API_KEY_VARIABLE, "short")
    with pytest.raises(ConfigError, match="5 characters, expected at least 16"):
        api_key_from_environment()
    for key in ("0123456789abcd\u00e9f", " 0123456789abcdef", "0123456789\tabcdef"):
        monkeypatch.setenv(API_KEY_VARIABLE, key)
        with pytest.raises(ConfigError) as raised:
            api_key_from_environment()
        words = "expected letters, digits and signs of ASCII, without blanks at the ends"
        assert str(raised.value) == f"VRP_API_KEY: cannot be sent in a header; {words}"


@pytest.mark.parametrize(
    "name", ["max_body_bytes", "max_memory_bytes", "max_routed", "room", "max_time_limit_s"]
)
def test_limits_are_positive(name):
    with pytest.raises(ConfigError, match=f"{name}: 0 is not a positive number"):
        ServeSettings(**{name: 0})


@pytest.mark.parametrize("origin", ["*", "https://a.example", "http://localhost:3000"])
def test_an_origin_may_be_named(origin):
    assert ServeSettings(cors=origin).cors == origin


@pytest.mark.parametrize("origin", ["a.example", "https://a.example/", "ftp://a", "https://a b"])
def test_what_is_no_origin_is_refused(origin):
    with pytest.raises(ConfigError, match=rf"^cors: '{origin}' is not an origin; expected https:"):
        ServeSettings(cors=origin)


def test_a_drain_takes_seconds():
    with pytest.raises(ConfigError, match="drain_s: -1 is not a time in seconds"):
        ServeSettings(drain_s=-1)


def test_jobs_are_kept_where_the_system_keeps_state(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_jobs_file() == tmp_path / "vrp" / "jobs.sqlite"


TILES = "https://tile.example.org/{z}/{x}/{y}.png"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        (TILES, "https://tile.example.org"),
        ("http://127.0.0.1:8080/a/{z}/{x}/{y}@2x.png?key=a-b_c", "http://127.0.0.1:8080"),
        ("https://[::1]/{z}/{y}/{x}", "https://[::1]"),
    ],
)
def test_tiles_come_from_one_host(url, origin):
    assert tiles_origin(url) == origin
    assert ServeSettings(tiles=url).tiles == url


@pytest.mark.parametrize(
    "url",
    [
        "", "tile.example.org/{z}/{x}/{y}.png", "ftp://a/{z}/{x}/{y}", "https://a/{z}/{x}.png",
        "https://{s}.a.org/{z}/{x}/{y}", "https://a; script-src *//{z}/{x}/{y}", TILES + " ",
        "https://*/{z}/{x}/{y}", "https://a/{z}/{z}/{x}/{y}", "https://a/{z}/{x}/{y}'",
        TILES + "\n",
        "https://user@a/{z}/{x}/{y}", "https://\N{LATIN SMALL LETTER E WITH ACUTE}/{z}/{x}/{y}",
    ],
)  # fmt: skip
def test_what_is_no_url_of_tiles(url):
    with pytest.raises(ConfigError, match="is no URL of tiles; expected one such as https://tile"):
        ServeSettings(tiles=url)


@pytest.mark.parametrize("root", ["vrp", "/vrp/", "/a b", "//", "/"])
def test_a_prefix_has_a_slash_only_at_its_begin(root):
    with pytest.raises(
        ConfigError, match=f"root_path: '{root}' is not a prefix of paths; expected"
    ):
        ServeSettings(root_path=root)
    assert ServeSettings(root_path="/a/b").root_path == "/a/b"
