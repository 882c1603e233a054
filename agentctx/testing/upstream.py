"""A provider on the loopback: it speaks three wire formats and records what it is asked."""

from __future__ import annotations

import json
import sys
import threading
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from agentctx.testing import speak, speak_responses
from agentctx.testing.script import Fault, Reply, ScriptedModel
from agentctx.testing.speak import Event
from agentctx.values import Payload, Usage

_ROUTES = {
    "/chat/completions": (speak.chat, speak.chat_events),
    "/responses": (speak_responses.response, speak_responses.response_events),
    "/messages": (speak.message, speak.message_events),
}
CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One request as it came in."""

    path: str
    raw: bytes
    body: Payload
    headers: Mapping[str, str]


class FakeUpstream:
    """A real HTTP server in a thread whose replies come from a `ScriptedModel`.

    ```python
    with FakeUpstream(ScriptedModel("hello")) as upstream:
        client = openai.OpenAI(base_url=upstream.url + "/v1", api_key="none")
    ```

    `requests` holds every request in order. Usage counts four characters a token; what a request
    shares with the longest earlier one counts as read from the cache, as providers do it.
    """

    def __init__(self, model: ScriptedModel) -> None:
        self.model = model
        self.requests: list[Received] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.upstream = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )

    @property
    def url(self) -> str:
        """The address without a path; OpenAI clients want `/v1` after it, Anthropic's do not."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    @property
    def bodies(self) -> list[Payload]:
        """The parsed body of every request."""
        return [each.body for each in self.requests]

    def __enter__(self) -> Self:
        """Start to serve."""
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        """Stop and close the socket."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def receive(self, request: Received) -> tuple[Reply | Fault, Usage, str]:
        """Record `request`; return the reply, its usage and a fresh id."""
        with self._lock:
            earlier = [each.raw for each in self.requests]
            self.requests.append(request)
            reply = self.model.answer(request.body)
            usage = _usage(reply, request.raw, earlier)
            return reply, usage, f"{len(self.requests):04d}"


def _usage(reply: Reply | Fault, raw: bytes, earlier: list[bytes]) -> Usage:
    if isinstance(reply, Fault):
        return Usage()
    if reply.usage is not None:
        return reply.usage
    shared = max((_shared(raw, each) for each in earlier), default=0)
    read, total = shared // CHARS_PER_TOKEN, len(raw) // CHARS_PER_TOKEN
    output = sum(len(str(part)) for part in reply.parts) // CHARS_PER_TOKEN + 1
    return Usage(input=total - read, cache_read=read, output=output)


def _shared(one: bytes, other: bytes) -> int:
    """Return how many leading bytes are the same."""
    lengths = range(1, min(len(one), len(other)) + 1)
    return bisect_left(lengths, True, key=lambda n: one[:n] != other[:n])


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    upstream: FakeUpstream

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a client may hang up on a stream
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a reply is two writes; without this each waits 40 ms
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on stderr."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.split("?", 1)[0]
        route = next((tail for tail in _ROUTES if path.endswith(tail)), "")
        if not route:
            self._fail(Fault(404, f"no such path: {path}"))
            return
        body = json.loads(raw)
        request = Received(path=self.path, raw=raw, body=body, headers=dict(self.headers))
        reply, usage, reply_id = self.server.upstream.receive(request)
        if isinstance(reply, Fault):
            self._fail(reply)
            return
        whole, events = _ROUTES[route]
        if body.get("stream"):
            ending = "" if route == "/messages" else "data: [DONE]\n\n"
            self._stream(events(reply, usage, reply_id, body), ending)
        else:
            self._send(200, whole(reply, usage, reply_id, body))

    def _fail(self, fault: Fault) -> None:
        error = {"type": "api_error", "message": fault.message, "code": None, "param": None}
        self._send(fault.status, {"type": "error", "error": error})

    def _send(self, status: int, data: dict[str, Any]) -> None:
        body = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, events: Iterator[Event], ending: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for name, data in events:
            head = f"event: {name}\n" if name else ""
            self.wfile.write(f"{head}data: {json.dumps(data)}\n\n".encode())
            self.wfile.flush()
        self.wfile.write(ending.encode())
        self.close_connection = True
