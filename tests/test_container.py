"""Containerfile and .dockerignore agree with the tree and with the server. No image is built."""

import json
import re
import shlex
import subprocess
import sys
import threading
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from vrpcore.native.library import HGS
from vrpcore.roads.road_options import default_cache

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8")
RULES = [
    line
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def instructions():
    """Each instruction's name and the rest, continued lines joined."""
    code = "\n".join(line for line in TEXT.splitlines() if not line.startswith("#"))
    for line in code.replace("\\\n", " ").splitlines():
        if line:
            name, _, rest = line.partition(" ")
            yield name, rest.strip()


def given(name):
    return [rest for each, rest in instructions() if each == name]


def copied():
    """What is copied from the tree."""
    lines = [shlex.split(rest) for rest in given("COPY") if not rest.startswith("--from")]
    return {source for line in lines for source in line[:-1]}


def ignored(path):
    """Whether a path stays out of the build, as Docker reads the rules: the last that fits."""
    verdict = False
    places = [path, *(str(parent) for parent in Path(path).parents)][:-1]
    for rule in RULES:
        pattern = re.escape(rule.removeprefix("!")).replace(r"\*\*/", "(.*/)?")
        pattern = pattern.replace(r"\*", "[^/]*")
        if any(re.fullmatch(pattern, place) for place in places):
            verdict = not rule.startswith("!")
    return verdict


def test_what_is_copied_is_there_and_not_ignored():
    assert copied()
    for path in copied():
        assert (ROOT / path).exists(), path
        assert not ignored(path), path


def test_what_pip_needs_is_copied_and_nothing_else():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, folders = settings["project"], settings["tool"]["setuptools"]["package-dir"]
    files = {"pyproject.toml", project["readme"], *project["license-files"]}
    assert copied() == files | set(folders.values())


def test_what_was_made_here_and_all_else_stays_out():
    library = HGS.file.relative_to(ROOT).as_posix()
    out = [".git/config", ".venv/bin/vrp", "tests/data/a", "docs/house.md", "shared/data", library]
    out += ["vrpcore/cli/main.py", "cli/__pycache__/main.pyc", "runs/a/best.pt", "Containerfile"]
    assert [path for path in out if not ignored(path)] == []
    into = ["vrpcore/native/hgs/hgs.cpp", "vrpcore/models/base.onnx", "cli/main.py", "README.md"]
    assert [path for path in into if ignored(path)] == []


def test_the_image_serves_roads_and_workbooks_too():
    (extras,) = re.findall(r'"\.\[(.*)\]"', TEXT)
    assert extras.split(",") == ["serve", "roads", "sheets"]


def test_the_unit_may_write_where_replies_of_roads_are_kept(monkeypatch):
    unit = (ROOT / "docs/serving/vrp.service").read_text(encoding="utf-8")
    assert "\nEnvironment=XDG_CACHE_HOME=%C\n" in unit
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")  # what %C is
    (folder,) = re.findall(r"^CacheDirectory=(\w+)$", unit, re.MULTILINE)
    assert default_cache().is_relative_to(f"/var/cache/{folder}")


def test_the_unit_drains_and_has_files_for_all_connections():
    unit = (ROOT / "docs/serving/vrp.service").read_text(encoding="utf-8")
    (drain,) = re.findall(r"^ExecStart=.* --drain (\d+)$", unit, re.MULTILINE)
    (stop,) = re.findall(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)
    (files,) = re.findall(r"^LimitNOFILE=(\d+)$", unit, re.MULTILINE)
    server = (ROOT / "vrpcore/serve/server.py").read_text(encoding="utf-8")
    (grace,) = re.findall(r"^_GRACE_S = (\d+)", server, re.MULTILINE)
    assert 0 < int(drain) < int(stop) - int(grace)
    assert int(files) >= 3 * 4096  # of --max-connections


def test_the_unit_waits_until_the_server_is_ready():
    unit = (ROOT / "docs/serving/vrp.service").read_text(encoding="utf-8")
    (line,) = re.findall(r"^ExecStartPost=(.*)$", unit, re.MULTILINE)
    answers = [503, 200]

    class Ready(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(answers.pop(0))
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Ready) as server:
        threading.Thread(target=lambda: [server.handle_request() for _ in range(2)]).start()
        here = line.replace(":8000/", f":{server.server_port}/")
        command = shlex.split(here.replace("/opt/vrp/bin/python", sys.executable))
        assert subprocess.run(command, capture_output=True, timeout=60).stderr == b""
    assert answers == []


def test_the_server_does_not_run_as_root():
    build, final = TEXT.split("\nFROM ")[1:]
    (user,) = re.findall(r"^USER (\d+)$", final, re.MULTILINE)
    assert int(user) > 0
    assert f"--uid {user} " in final
    assert " AS build\n" in build
    (program,) = given("ENTRYPOINT")
    assert json.loads(program)[:2] == ["/opt/vrp/bin/vrp", "serve"]


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False)])
def test_the_container_is_healthy_while_the_server_is_ready(status, healthy):
    asked = []

    class Ready(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            pass

    (check,) = given("HEALTHCHECK")
    *_, program = json.loads(check.partition("CMD ")[2])
    assert f":{given('EXPOSE')[0]}/" in program
    with HTTPServer(("127.0.0.1", 0), Ready) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        here = program.replace(":8000/", f":{server.server_port}/")
        found = subprocess.run([sys.executable, "-c", here], capture_output=True)
    assert (found.returncode == 0) == healthy
    assert asked == ["/v2/health/ready"]
    routes = (ROOT / "vrpcore/serve/app.py").read_text(encoding="utf-8")
    assert f'"{asked[0]}"' in routes
