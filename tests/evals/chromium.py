"""A real Chromium, driven over its own pipe; it sees files and nothing of the network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BINARY = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update "
    "--disable-sync --no-first-run --disable-dev-shm-usage --remote-debugging-pipe"
)
_PIPES = 'read=$1; write=$2; shift 2; exec "$@" 3<&"$read" 4>&"$write"'


class Page:
    """One page: what it loaded, what it complained about, and hands to click with."""

    def __init__(self, read: int, write: int) -> None:
        self._in, self._out = os.fdopen(write, "wb", buffering=0), os.fdopen(read, "rb")
        self._number, self._session = 0, ""
        self._buffer = b""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._in.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self.events.append(answer)

    def open(self, path: Path, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Open a file and wait until it is loaded."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def js(self, expression: str) -> Any:
        """Return the value of an expression."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def click(self, selector: str) -> None:
        """Click the middle of the first element that fits, as a pointer does."""
        found = self.js(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        place = {"x": found[0], "y": found[1], "button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type="mousePressed", **place)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", **place)

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for."""
        sent = (e for e in self.events if e["method"] == "Network.requestWillBeSent")
        return [e["params"]["request"]["url"] for e in sent]

    def complaints(self) -> list[str]:
        """Return what the page wrote to its console, and errors; a busy machine is no error."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        found = (e["params"] for e in self.events if e["method"] in kinds)
        return [json.dumps(p) for p in found if p.get("entry", {}).get("level") != "verbose"]

    def shot(self, path: Path, *, whole: bool = True) -> None:
        """Write a picture of the page."""
        found = self.call("Page.captureScreenshot", captureBeyondViewport=whole, format="png")
        path.write_bytes(b64decode(found["data"]))

    def close(self) -> None:
        """Close both pipes, at which Chromium ends."""
        self._in.close()
        self._out.close()

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            part = os.read(self._out.fileno(), 1 << 16)
            assert part, "chromium has ended"
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(line))


@contextmanager
def page(folder: Path) -> Iterator[Page]:
    """Start Chromium with a profile of its own in `folder`; yields its page."""
    assert BINARY
    to_it, from_us = os.pipe()
    to_us, from_it = os.pipe()
    command = ["bash", "-c", _PIPES, "bash", str(to_it), str(from_it), BINARY, *_FLAGS.split()]
    process = subprocess.Popen(
        [*command, f"--user-data-dir={folder}"],
        pass_fds=(to_it, from_it),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_it)
    os.close(from_it)
    opened: Page | None = None
    try:
        opened = Page(to_us, from_us)
        yield opened
    finally:
        if opened:
            opened.close()
        process.terminate()
        process.wait(20)
