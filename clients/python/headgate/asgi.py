"""Limits the requests of an ASGI application, such as FastAPI and Starlette."""

from __future__ import annotations

import json
import math
from typing import Any, Awaitable, Callable, Mapping

from .client import AsyncHeadgate, Slot

Scope = Mapping[str, Any]


def standard_subject(scope: Scope) -> dict[str, str] | None:
    """Returns the attributes path, method and ip. Behind a proxy, let the server set the client's address."""
    subject = {"path": scope["path"], "method": scope["method"]}
    if scope.get("client"):
        subject["ip"] = scope["client"][0]
    return subject


class HeadgateMiddleware:
    """Answers 429 with Retry-After if a request is denied, and holds its slots until the response ends.

    subject: returns the attributes of a request, or None if it is not limited.
    """

    def __init__(self, app: Callable[..., Awaitable[None]], client: AsyncHeadgate,
                 subject: Callable[[Scope], Mapping[str, str] | None] = standard_subject):
        self.app, self.client, self.subject = app, client, subject

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        subject = self.subject(scope) if scope["type"] == "http" else None
        if subject is None:
            await self.app(scope, receive, send)
            return
        # A check acquires slots, too, and repeats cached denials.
        async with Slot(self.client, await self.client.check(subject)) as slot:
            if slot.allowed:
                await self.app(scope, receive, send)
                return
        retry = slot.decision.retry_after
        headers = [(b"content-type", b"application/problem+json"), (b"cache-control", b"no-store")]
        if retry is not None:
            headers.append((b"retry-after", str(math.ceil(retry)).encode()))
        problem = {
            "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
            "title": "Quota exceeded",
            "status": 429,
            "violated-policies": slot.decision.violated,
        }
        await send({"type": "http.response.start", "status": 429, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(problem).encode()})
