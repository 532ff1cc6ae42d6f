"""What goes wrong is said where it can be mended."""

import pytest

from tests.vrpcore.serve.page.cases import BAD, SMALL, random_instance
from tests.vrpcore.serve.page.chromium import Page
from tests.vrpcore.serve.page.served import MOST_BYTES, Faults


def test_invalid_instance_among_others_is_shown_as_text(page: Page) -> None:
    page.paste([SMALL, BAD])
    assert page.solve().startswith("1 of 2 instances solved")
    page.click("option-1")
    assert page.text("shown-title") == BAD["name"]
    assert "capacity: -4 is not a positive number" in page.text("shown-notice")
    assert "OUT_OF_RANGE" in page.text("shown-notice")
    assert page.count("#x") == 0


def test_nothing_valid_is_listed_at_the_input(page: Page) -> None:
    page.paste([BAD, {**BAD, "name": "other"}])
    page.solve()
    assert page.text("input-notice").startswith("None of the instances is valid.")
    assert page.count("#input-notice li") == 2
    assert page.script("document.getElementById('text').ariaInvalid") == "true"
    assert page.count("#options .bad") == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello", "cannot parse"),
        ('{"capacity": 3,', "not JSON"),
        ("", "Drop or choose a spreadsheet"),
    ],
)
def test_text_that_is_none_is_refused_at_the_input(page: Page, text: str, said: str) -> None:
    page.paste(text)
    page.solve()
    assert said in page.text("input-notice")


def test_too_large_a_body(page: Page) -> None:
    page.paste(random_instance(20_000, "huge", 100))
    page.solve()
    assert f"The body is larger than {MOST_BYTES} bytes" in page.text("input-notice")


def test_a_busy_server_says_when_to_try_again(page: Page, server: Faults) -> None:
    server.refusals.append((429, {"retry-after": "2"}, "full"))
    page.paste(SMALL)
    page.solve()
    assert page.text("run-notice").startswith("The server is busy. Try again in 2 seconds.")
    page.until("document.querySelector('#run-notice button:not([disabled])')", 10)
    page.press("#run-notice button")
    page.until("document.getElementById('status').textContent.startsWith('1 instance solved')")
    assert page.text("run-notice") == ""


def test_an_api_key_is_asked_for_and_sent(page: Page, server: Faults) -> None:
    key = "a secret of some length"
    server.ask_for(key)
    page.paste(SMALL)
    page.solve()
    assert page.text("key-notice") == "This server asks for an API key."
    assert page.script("document.activeElement.id") == "key"
    page.keys("wrong", "\ue007")
    page.until("document.getElementById('key-notice').textContent.includes('not accepted')")
    page.keys(key, "\ue007")
    page.until("document.getElementById('status').textContent.startsWith('1 instance solved')")
    assert page.script("localStorage.length + sessionStorage.length + document.cookie.length") == 0


def test_a_browser_asks_its_user_for_the_key_once(page: Page, server: Faults) -> None:
    key = "a secret of some length"
    server.ask_for(key)
    # What the user's answer to the browser's question does.
    page.browser.get(page.url.replace("//", f"//any:{key}@"))
    page.open()
    page.paste(SMALL)
    assert page.solve().startswith("1 instance solved")


def test_failures_of_server_and_network(page: Page, server: Faults) -> None:
    server.refusals.append((500, {}, "out of luck"))
    page.paste(SMALL)
    page.solve()
    assert page.text("run-notice").startswith("The server answered 500: out of luck.")
    server.refusals.append((400, {}, "time_limit: too long"))
    page.solve()
    assert page.text("option-notice").startswith("Time_limit: too long.")
    page.command("Network.enable")
    page.command("Network.setBlockedURLs", urls=["*/v1/solve*"])
    page.solve()
    assert page.text("run-notice").startswith("The server cannot be reached.")


def test_why_the_server_refuses_is_said(page: Page, server: Faults) -> None:
    page.paste(SMALL)
    for status, code, said in (
        (403, "FORBIDDEN", "origin: 'x', expected this server's own"),
        (503, "NOT_INSTALLED", "the search was not built"),
    ):
        server.refusals.append((status, {}, said, code))
        page.solve()
        assert page.text("run-notice").startswith(said[0].upper() + said[1:])
        assert not page.shows("key-field")
    server.refusals.append((503, {}, "warming up or stopping", "NOT_READY"))
    page.solve()
    assert page.text("run-notice").startswith("The server is not ready.")


def test_warnings_are_shown_beside_what_is_wrong(page: Page) -> None:
    solution = {
        "name": "a", "status": "infeasible", "code": "WINDOW", "error": "7: too late",
        "warnings": ["PLACE_SUSPECTED: 7 is at 0, 0"], "routes": [], "unserved": [],
    }  # fmt: skip
    page.paste(SMALL)
    page.module(
        "const { Shown } = await import('/page/shown.js');"
        "new Shown(() => {}).show({ name: 'a', position: 0, item: null, inKind: null,"
        " solution: values[0] });",
        solution,
    )
    assert page.text("shown-notice") == "Infeasible: 7: too late WINDOW"
    assert page.text("shown-warnings") == "PLACE_SUSPECTED: 7 is at 0, 0"


def test_a_wrong_time_limit_is_not_sent(page: Page, server: Faults) -> None:
    page.paste(SMALL)
    page.browser.find_element("id", "time-limit").send_keys("-1")
    page.solve()
    assert "number of seconds" in page.text("option-notice") and not server.solves


def cancel(page: Page) -> None:
    """Cancels a solve at once."""
    page.click("solve")
    page.until("document.getElementById('cancel').checkVisibility()")
    page.click("cancel")
    page.until("document.getElementById('working').hidden", 2)
    assert page.text("run-notice") == "Cancelled."


def test_cancelling_what_is_still_read(page: Page) -> None:
    page.browser.execute_script(
        "window.fetch = () => new Promise(() => {});"  # the server never answers
        "const field = document.getElementById('text'); field.value = 'NAME : tiny';"
        "field.dispatchEvent(new Event('input'));"
    )
    page.until("document.getElementById('input-note').textContent.startsWith('Reading')")
    cancel(page)


def test_cancelling(page: Page, server: Faults) -> None:
    server.delay_s = 3.0
    page.paste(SMALL)
    cancel(page)
