"""Headless Chromium for the tests of the page, and what they do with it again and again."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

WAIT_S = 120
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--window-size=1280,900",
)  # fmt: skip


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """A browser with a new profile; skips where there is none."""
    reason = "the page's tests drive a browser: pip install selenium"
    webdriver = pytest.importorskip("selenium.webdriver", reason=reason)
    program = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not program or not driver:
        pytest.skip("no Chromium: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=driver)
    browser = webdriver.Chrome(options=options, service=service)
    try:
        browser.set_script_timeout(2 * WAIT_S)
        yield browser
    finally:
        browser.quit()


class Page:
    """The page in the browser.

    Args:
        browser: As `chromium` yields it.
        url: Of the page.
    """

    def __init__(self, browser: Any, url: str) -> None:
        self.browser = browser
        self.url = url

    def open(self, width: int = 1280, height: int = 900, **media: str) -> None:
        """Loads the page anew, e.g. with `prefers_color_scheme="dark"`."""
        features = [
            {"name": name.replace("_", "-"), "value": value} for name, value in media.items()
        ]
        self.command("Emulation.setEmulatedMedia", features=features)
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        self.command("Network.setBlockedURLs", urls=[])
        self.browser.get(self.url)
        self.until("document.getElementById('level-note').textContent")

    def command(self, name: str, **values: object) -> Any:
        """One command of the DevTools protocol."""
        return self.browser.execute_cdp_cmd(name, values)

    def script(self, text: str, *values: object) -> Any:
        """What a piece of JavaScript returns."""
        return self.browser.execute_script(f"return {text}", *values)

    def module(self, text: str, *values: object) -> Any:
        """What an async function body returns; it may import the page's modules."""
        found = self.browser.execute_async_script(
            "const told = arguments[arguments.length - 1];"
            f"(async (...values) => {{ {text} }})(...arguments)"
            ".then((value) => told({value}), (error) => told({error: String(error)}));",
            *values,
        )
        assert "error" not in found, found["error"]
        return found["value"]

    def until(self, condition: str, seconds: float = WAIT_S) -> None:
        """Waits for a condition in JavaScript; the page itself looks, which costs least.

        One that throws is not true yet: on a busy machine a page is looked at while it is built.
        """
        found = self.browser.execute_async_script(
            "const [seconds, tell] = arguments, end = Date.now() + 1000 * seconds;"
            "let why = 'never true';"
            f"const look = () => {{ try {{ if ({condition}) return tell(''); }}"
            "catch (error) { why = String(error); }"
            "return Date.now() > end ? tell(why) : setTimeout(look, 20); }; look();",
            seconds,
        )
        assert not found, f"{found}: {condition}; {self.text('input')}"

    def text(self, identifier: str) -> str:
        """What an element says, also where it is not to be seen."""
        return str(self.script("document.getElementById(arguments[0]).textContent", identifier))

    def shows(self, identifier: str) -> bool:
        """Whether an element is on the page."""
        element = "document.getElementById(arguments[0])"
        return bool(self.script(f"{element}.checkVisibility()", identifier))

    def count(self, selector: str) -> int:
        """How many elements there are."""
        return int(self.script("document.querySelectorAll(arguments[0]).length", selector))

    def texts(self, selector: str) -> list[str]:
        """What each of some elements says."""
        texts = "[...document.querySelectorAll(arguments[0])].map((one) => one.textContent)"
        return list(self.script(texts, selector))

    def rows(self, table: str) -> list[list[str]]:
        """What the cells of a table's body say."""
        rows = f"[...document.querySelectorAll('#{table} tbody tr')]"
        cells = "[...row.children].map((cell) => cell.textContent)"
        return list(self.script(f"{rows}.map((row) => {cells})"))

    def click(self, identifier: str) -> None:
        """Clicks an element."""
        self.press(f"#{identifier}")

    def press(self, selector: str) -> None:
        """Clicks the first of some elements."""
        self.browser.find_element("css selector", selector).click()

    def hover(self, selector: str) -> None:
        """Moves the mouse onto the first of some elements."""
        over = "new MouseEvent('mouseover', { bubbles: true })"
        self.script(f"document.querySelector(arguments[0]).dispatchEvent({over})", selector)

    def fill(self, identifier: str, text: str) -> None:
        """Writes into a field, as a user does."""
        self.browser.execute_script(
            "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
            "field.dispatchEvent(new Event('input', { bubbles: true }));",
            identifier,
            text,
        )

    def choose(self, *files: Path, chooser: str = "file") -> None:
        """Chooses files."""
        self.browser.find_element("id", chooser).send_keys("\n".join(map(str, files)))

    def keys(self, *keys: str) -> None:
        """Presses keys, wherever the focus is."""
        from selenium.webdriver import ActionChains

        ActionChains(self.browser).send_keys(*keys).perform()

    def paste(self, value: object) -> None:
        """Puts instances (or a text) into the field and waits until they are understood."""
        text = value if isinstance(value, str) else json.dumps(value)
        self.browser.execute_script(
            "const field = document.getElementById('text'); field.value = arguments[0];"
            "document.getElementById('input-note').textContent = 'Reading';"
            "field.dispatchEvent(new Event('input'));",
            text,
        )
        self.until("!document.getElementById('input-note').textContent.startsWith('Reading')")

    def example(self) -> None:
        """Takes the example in JSON and waits until it is shown."""
        self.click("tab-text")
        self.click("example")
        self.until("document.getElementById('content').checkVisibility()")

    def solve(self, button: str = "solve") -> str:
        """Presses a button and waits for the end; what the status says then."""
        self.click(button)
        self.until("document.getElementById('working').hidden")
        return self.text("status")

    def complaints(self) -> list[str]:
        """What the console says, answers other than 200 apart; said once only."""
        return [
            entry["message"]
            for entry in self.browser.get_log("browser")
            if "Failed to load resource" not in entry["message"]
        ]


def drawn_colours(page: Page) -> int:
    """Number of different colours on the map."""
    return int(
        page.script(
            "(() => { const canvas = document.getElementById('base');"
            "const { data } = canvas.getContext('2d')"
            ".getImageData(0, 0, canvas.width, canvas.height);"
            "return new Set(new Uint32Array(data.buffer)).size; })()"
        )
    )


def downloaded(page: Page, kind: str) -> str:
    """What a download button offers; no file is written."""
    page.browser.execute_script(
        "window.caught = null;"
        "URL.createObjectURL = (blob) => { window.caught = blob; return '#'; };"
        "HTMLAnchorElement.prototype.click = () => {};"
    )
    page.click(f"download-{kind}")
    page.until("window.caught")
    return str(page.module("return await window.caught.text();"))
