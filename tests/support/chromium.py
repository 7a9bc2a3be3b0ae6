"""A headless Chromium, driven through chromedriver in its plain HTTP protocol (W3C WebDriver)."""

import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
PATIENCE_SECONDS = 120.0
_ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
)


def need_chromium() -> None:
    """Skip the test where there is no browser."""
    if not CHROMIUM or not DRIVER:
        pytest.skip("chromium and chromedriver are not installed (apt-get install chromium chromium-driver)")


class Chromium:
    """A browser with a profile of its own; leaving ends it."""

    def __enter__(self) -> Self:
        need_chromium()
        self._directory = Path(tempfile.mkdtemp(prefix="chromium-"))
        self._log = self._directory / "driver.log"
        with self._log.open("wb") as log:
            self._driver = subprocess.Popen(
                [str(DRIVER), "--port=0"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ | {"HOME": str(self._directory), "TMPDIR": str(self._directory)},
                start_new_session=True,
            )
        try:
            self._http = HTTPConnection("127.0.0.1", self._port(), timeout=PATIENCE_SECONDS)
            self._session = self._start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        try:
            self._command("DELETE", self._session)
        finally:
            self._end()

    def _port(self) -> int:
        """The port that the driver chose, by what it says when it is ready."""
        assert self._driver.stdout is not None
        for line in self._driver.stdout:
            if b"started successfully on port " in line:
                return int(line.rsplit(b" ", 1)[1].strip().rstrip(b"."))
        raise AssertionError(self._log.read_text())

    def _start(self) -> str:
        options = {
            "binary": CHROMIUM,
            "args": [*_ARGUMENTS, f"--user-data-dir={self._directory / 'profile'}"],
        }
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        value = self._command("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        return f"/session/{value['sessionId']}"

    def _end(self) -> None:
        """End the driver and its browsers: the group that was started here."""
        os.killpg(self._driver.pid, signal.SIGKILL)
        with self._driver:
            self._driver.wait(PATIENCE_SECONDS)
        if hasattr(self, "_http"):
            self._http.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _command(self, method: str, path: str, body: object = None) -> Any:
        data = None if method != "POST" else json.dumps(body or {})
        self._http.request(method, path, data, {"Content-Type": "application/json"})
        response = self._http.getresponse()
        value = json.loads(response.read())["value"]
        assert response.status == 200, value
        return value

    def open(self, file: Path) -> None:
        """Show a file, and wait until it is loaded."""
        self._command("POST", f"{self._session}/url", {"url": file.as_uri()})

    def run(self, script: str) -> Any:
        """What a function with that body returns, in the page."""
        return self._command("POST", f"{self._session}/execute/sync", {"script": script, "args": []})

    def devtools(self, command: str, **params: Any) -> Any:
        """The result of a command of the DevTools protocol."""
        body = {"cmd": command, "params": params}
        return self._command("POST", f"{self._session}/goog/cdp/execute", body)

    def show_as(self, *, scheme: str = "light", width: int = 1200, media: str = "screen") -> None:
        """Have pages see a colour scheme, a width in pixels and a medium."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.devtools("Emulation.setEmulatedMedia", media=media, features=features)
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", **metrics)

    def press(self, key: str) -> None:
        """Press a key and let it go."""
        keys = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        actions = [{"type": "key", "id": "keyboard", "actions": keys}]
        self._command("POST", f"{self._session}/actions", {"actions": actions})

    def console(self) -> list[str]:
        """What the console has said since it was last asked."""
        entries = self._command("POST", f"{self._session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries]

    def requested(self) -> list[str]:
        """The addresses that were asked for since this was last asked."""
        entries = self._command("POST", f"{self._session}/se/log", {"type": "performance"})
        messages = [json.loads(entry["message"])["message"] for entry in entries]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def screenshot(self, *, whole: bool = False) -> bytes:
        """The page as a PNG: what is seen of it, or the whole."""
        return base64.b64decode(
            self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        )
