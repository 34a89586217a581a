"""A stand-in for the part of a code host that keeps comments and checks."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

_PULL = re.compile(r"/repos/ours/agent/issues/17/comments")
_CHECKS = "/repos/ours/agent/check-runs"
_COMMENT = re.compile(r"/repos/ours/agent/issues/comments/(\d+)")


class Request(NamedTuple):
    """A request that was made."""

    method: str
    path: str
    token: str


class Host:
    """The comments on pull request 17 of `ours/agent`, its checks, and who asked."""

    def __init__(self) -> None:
        self.url = ""
        self.comments: list[dict[str, Any]] = []
        self.checks: list[dict[str, Any]] = []
        self.may_check = True
        """The token has the permission to write checks."""

        self.requests: list[Request] = []
        self.refused: set[str] = set()
        """The methods for which the token has no permission."""

    def add(self, body: str | None, author: str = "Bot", role: str = "NONE") -> None:
        """Add a comment, as by a bot or a user."""
        user = {"login": "somebody", "type": author}
        self.comments.append(
            {
                "id": len(self.comments) + 1,
                "body": body,
                "user": user,
                "author_association": role,
            }
        )

    @property
    def requests_for_comments(self) -> list[Request]:
        return [each for each in self.requests if each.path != _CHECKS]

    @property
    def bodies(self) -> list[str]:
        return [comment["body"] for comment in self.comments]

    def answer(self, method: str, path: str, content: bytes) -> tuple[int, Any]:
        """Return the status and the value of the answer to a request."""
        parts = urlsplit(path)
        if parts.path == _CHECKS:
            if not self.may_check:
                return 403, {"message": "Resource not accessible by integration"}
            self.checks.append(json.loads(content))
            return 201, self.checks[-1]
        if method in self.refused:
            return 403, {"message": "Resource not accessible by integration"}
        if method == "GET" and _PULL.fullmatch(parts.path):
            query = {
                name: int(value) for name, [value] in parse_qs(parts.query).items()
            }
            first = (query["page"] - 1) * query["per_page"]
            return 200, self.comments[first : first + query["per_page"]]
        if method == "POST" and _PULL.fullmatch(parts.path):
            self.add(json.loads(content)["body"])
            return 201, self.comments[-1]
        if method == "PATCH" and (match := _COMMENT.fullmatch(parts.path)):
            comment = self.comments[int(match[1]) - 1]
            comment["body"] = json.loads(content)["body"]
            return 200, comment
        return 404, {"message": "Not Found"}


@contextlib.contextmanager
def code_host() -> Iterator[Host]:
    """Run the stand-in on the loopback."""
    host = Host()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            token = self.headers.get("Authorization", "")
            host.requests.append(Request(self.command, self.path, token))
            length = int(self.headers.get("Content-Length", 0))
            status, value = host.answer(
                self.command, self.path, self.rfile.read(length)
            )
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_PATCH = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        host.url = f"http://127.0.0.1:{server.server_port}"
        # As long as it waits for a request, it takes to end: usually half a second.
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield host
        finally:
            server.shutdown()
            thread.join()
