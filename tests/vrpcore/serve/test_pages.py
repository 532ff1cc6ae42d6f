import re

import pytest


def test_docs_are_swagger_ui_of_this_server_alone(server):
    html = server.client.get("/docs")
    assert (html.status_code, html.headers["cache-control"]) == (200, "no-cache")
    policy = html.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "http" not in policy
    named = re.findall(r'(?:src|href)="([^"]*)"', html.text)
    assert named == [
        "page/icon.svg", "docs/swagger-ui.css", "docs/swagger-ui-bundle.js", "page/docs.js",
        "openapi.json",
    ]  # fmt: skip
    for name in named:
        assert server.client.get(f"/{name}").status_code == 200, name
    css, code = (server.client.get(f"/{name}") for name in named[1:3])
    assert css.headers["content-type"].startswith("text/css")
    assert code.headers["content-type"].startswith("text/javascript")
    assert not re.search(r"url\((?!\"?data:)|@import", css.text)


@pytest.mark.parametrize("name", ["start.js", "__init__.py", "..%2fmain.py", "swagger-ui.css%00"])
def test_no_other_file_of_the_package_is_served(server, name):
    assert server.client.get(f"/docs/{name}").status_code == 404


@pytest.mark.parametrize("path", ["/", "/page/app.js", "/docs", "/docs/swagger-ui.css"])
def test_what_a_browser_has_is_not_sent_again(server, path):
    first = server.client.get(path)
    tag = first.headers["etag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = server.client.get(path, headers={"if-none-match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["cache-control"] == "no-cache"
    changed = server.client.get(path, headers={"if-none-match": '"other"'})
    assert (changed.status_code, changed.content) == (200, first.content)
