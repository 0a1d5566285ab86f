"""Asks a Headgate service, with a deadline, a failure mode and a cache of denials."""

from __future__ import annotations

import asyncio
import http.client
import json
import select
import ssl
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Mapping, TypeVar, Union
from urllib.parse import quote, urlsplit

from .reservation import AsyncReservation, Costs, Granted, Reservation, granted, path_of

T = TypeVar("T")
Subject = Union[str, Mapping[str, str]]

MAX_RESPONSE = 1 << 20
MAX_DENIALS = 10_000
#: The algorithms whose denials end by time alone, so that they may be repeated until then.
TIMED = {"token-bucket", "leaky-bucket", "fixed-window", "sliding-window", "rolling-window", "deny"}


class HeadgateRejected(Exception):
    """The service rejected a request as invalid or not permitted; nothing was charged.

    Raised in every failure mode: a wrong token must not let requests pass."""

    def __init__(self, status: int, detail: str):
        super().__init__(f"the service replied {status}: {detail}")
        self.status = status


class _Unavailable(Exception):
    pass


class _Lost(_Unavailable):
    """No response arrived, so that the request may have been executed."""


@dataclass(frozen=True)
class Decision:
    """The decision on one request. Times are in seconds."""

    allowed: bool
    rule: str | None = None
    limit: int | None = None
    remaining: int | None = None
    #: None if allowed, or if waiting does not help.
    retry_after: float | None = None
    reset_after: float | None = None
    #: How long an allowed request has to wait, if a limit queues requests.
    delay: float = 0.0
    #: store, lease, cache or fallback.
    source: str = "fallback"
    violated: list[str] = field(default_factory=list)
    slot_id: str | None = None
    #: The costs of the request that no matching limit spends, such as a misspelled name.
    unused_costs: list[str] = field(default_factory=list)
    #: Why the service did not decide; None if it did.
    failure: str | None = None
    cacheable: bool = field(default=False, repr=False)

    @staticmethod
    def parse(body: dict[str, Any]) -> "Decision":
        allowed, retry, reset = body["allowed"], body.get("retryAfterMs"), body.get("resetAfterMs")
        if not isinstance(allowed, bool):
            raise ValueError("allowed is not a boolean")
        timed = all(limit["algorithm"] in TIMED for limit in body.get("limits", []))
        return Decision(
            allowed=allowed,
            rule=body.get("rule"),
            limit=body.get("limit"),
            remaining=body.get("remaining"),
            retry_after=None if allowed or retry is None else retry / 1000,
            reset_after=None if reset is None else reset / 1000,
            delay=body.get("delayMs", 0) / 1000,
            source=body["source"],
            violated=body.get("violated", []),
            slot_id=body.get("id"),
            unused_costs=body.get("unusedCosts", []),
            cacheable=not allowed and timed and "impossible" not in body and body["source"] != "fallback",
        )


def _request(subject: Subject, cost: int, costs: Costs | None, **fields: int) -> bytes:
    check: dict[str, Any] = {"key": subject} if isinstance(subject, str) else {"subject": dict(subject)}
    check.update({"cost": cost}, **({"costs": dict(costs)} if costs else {}), **fields)
    return json.dumps(check, sort_keys=True).encode()


class Headgate:
    """A client for all threads of a program. Close it, or use it as a context manager.

    deadline: how long a call may take, in seconds.
    fail_open: whether requests are allowed while the service is unavailable.
    max_denial_age: for how long a denial is repeated, at most until its retry time; 0 disables it.
    """

    def __init__(self, url: str, *, token: str | None = None, deadline: float = 0.25, fail_open: bool = True,
                 max_denial_age: float = 1.0, threads: int = 8, tls: ssl.SSLContext | None = None):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise ValueError("the URL must be like https://headgate.internal:8080, without user and password")
        if token is not None and (not token or any(not "!" <= c <= "~" for c in token)):
            raise ValueError("a token consists of visible ASCII characters")
        self._url, self._token, self._tls = parts, token, tls
        self._deadline, self._fail_open, self._max_age = deadline, fail_open, max_denial_age
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="headgate")
        self._local = threading.local()
        self._lock = threading.Lock()
        self._connections: list[http.client.HTTPConnection] = []
        self._denials: OrderedDict[bytes, tuple[Decision, float, float]] = OrderedDict()

    def check(self, subject: Subject, *, cost: int = 1, costs: Costs | None = None,
              deadline: float | None = None, fail_open: bool | None = None) -> Decision:
        """Decides a request and charges it if it is allowed. deadline and fail_open are for this call."""
        return self._wait(self._start("/v1/check", subject, cost, costs, deadline), deadline, self._fallback(fail_open))

    def peek(self, subject: Subject, *, cost: int = 1, costs: Costs | None = None,
             deadline: float | None = None, fail_open: bool | None = None) -> Decision:
        """Decides like check, and charges nothing."""
        return self._wait(self._start("/v1/peek", subject, cost, costs, deadline), deadline, self._fallback(fail_open))

    def slot(self, subject: Subject, *, cost: int = 1, deadline: float | None = None,
             fail_open: bool | None = None) -> "Slot":
        """Decides like check, and acquires a slot of each concurrency limit, as a context manager."""
        call = self._start("/v1/slots", subject, cost, None, deadline)
        return Slot(self, self._wait(call, deadline, self._fallback(fail_open)))

    def report_usage(self, subject: Subject, *, cost: int = 1, costs: Costs | None = None,
                     deadline: float | None = None, fail_open: bool | None = None) -> Decision:
        """Charges usage after the fact, even beyond the limits. Without a response, `failure` says that it may be lost."""
        call = self._start("/v1/usage", subject, cost, costs, deadline)
        return self._wait(call, deadline, self._fallback(fail_open))

    def reserve(self, subject: Subject, *, cost: int = 1, costs: Costs | None = None, ttl: float | None = None,
                deadline: float | None = None, fail_open: bool | None = None) -> Reservation:
        """Reserves an estimate of the costs, as a context manager. The real cost is settled later.

        ttl: after how many seconds it expires without an update; that of the rules if it is shorter.
        deadline, fail_open: for this call and those of the reservation."""
        call = self._start_reservation(subject, cost, costs, ttl, deadline)
        return Reservation(self, self._wait(call, deadline, self._not_granted(call, fail_open)), deadline, fail_open)

    def reservation(self, reservation_id: str) -> Reservation:
        """Returns a reservation that another process has made, by its id. Sends nothing."""
        return Reservation(self, Granted(Decision(allowed=True), reservation_id))

    def release(self, slot_id: str) -> None:
        """Releases a slot. Ignores an unavailable service: the slot expires."""
        try:
            self._pool.submit(self._send, "DELETE", "/v1/slots/" + quote(slot_id, safe=""), b"", self._deadline
                              ).result(self._deadline)
        except Exception:  # the slot expires
            pass

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            for connection in self._connections:
                connection.close()

    def __enter__(self) -> "Headgate":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, path: str, subject: Subject, cost: int, costs: Costs | None,
               deadline: float | None) -> "Future[Decision]":
        body = _request(subject, cost, costs)
        cached = self._cached(body) if path == "/v1/check" else None
        if cached is None:
            return self._pool.submit(self._decide, path, body, deadline or self._deadline)
        done: Future[Decision] = Future()
        done.set_result(cached)
        return done

    def _start_reservation(self, subject: Subject, cost: int, costs: Costs | None, ttl: float | None,
                           deadline: float | None) -> "Future[Granted]":
        body = _request(subject, cost, costs, **({} if ttl is None else {"ttlMs": round(ttl * 1000)}))
        return self._call("POST", "/v1/reservations", body, lambda reply: granted(Decision.parse(reply), reply), deadline)

    def _call(self, method: str, path: str, body: bytes, parse: Callable[[Any], T], deadline: float | None,
              repeat: bool = False) -> "Future[T]":
        return self._pool.submit(self._exchange, method, path, body, parse, deadline or self._deadline, repeat)

    def _wait(self, call: "Future[T]", deadline: float | None, failed: Callable[[BaseException], T],
              keep: bool = False) -> T:
        """Waits for a call. After the deadline, one that has not begun is dropped unless it is to be kept."""
        try:
            return call.result(deadline or self._deadline)
        except (_Unavailable, TimeoutError, FutureTimeout) as e:
            if not keep:
                call.cancel()
            return failed(e)

    def _fallback(self, fail_open: bool | None) -> Callable[[BaseException], Decision]:
        return lambda problem: self._failed(problem, fail_open)

    def _not_granted(self, call: "Future[Granted]", fail_open: bool | None) -> Callable[[BaseException], Granted]:
        def cancel(late: "Future[Granted]") -> None:
            try:
                late_id = late.result().id
                if late_id is not None:
                    self._call("DELETE", path_of(late_id), b"", lambda _: None, None, repeat=True)
            except Exception:  # there is no reservation, or it expires
                pass

        def failed(problem: BaseException) -> Granted:
            call.cancel()
            call.add_done_callback(cancel)  # a response that arrives late has no reader
            return Granted(self._failed(problem, fail_open))

        return failed

    def _failed(self, problem: BaseException, fail_open: bool | None) -> Decision:
        allowed = self._fail_open if fail_open is None else fail_open
        reason = str(problem) or f"{self._url.netloc} did not answer within the deadline"
        return Decision(allowed=allowed, retry_after=None if allowed else 1.0, failure=reason)

    def _cached(self, body: bytes) -> Decision | None:
        now = time.monotonic()
        with self._lock:
            entry = self._denials.get(body)
            if entry is None or now >= entry[1]:
                self._denials.pop(body, None)
                return None
        left = None if entry[0].retry_after is None else entry[2] - now
        return replace(entry[0], source="cache", retry_after=left)

    def _decide(self, path: str, body: bytes, deadline: float) -> Decision:
        sent = time.monotonic()  # the retry time counts from before the request: never too long
        decision = self._exchange("POST", path, body, Decision.parse, deadline)
        if path == "/v1/check" and decision.cacheable and self._max_age > 0:
            retry = decision.retry_after
            with self._lock:
                self._denials[body] = (decision, sent + min(self._max_age, self._max_age if retry is None else retry),
                                       sent + (retry or 0))
                while len(self._denials) > MAX_DENIALS:
                    self._denials.popitem(last=False)
        return decision

    def _exchange(self, method: str, path: str, body: bytes, parse: Callable[[Any], T], deadline: float,
                  repeat: bool = False) -> T:
        """Sends a request and parses the reply. Only one that may be repeated is sent again, once, if the reply is lost."""
        end = time.monotonic() + deadline
        try:
            status, text = self._send(method, path, body, deadline)
        except _Lost:
            left = end - time.monotonic()
            if not repeat or left <= 0:
                raise
            status, text = self._send(method, path, body, left)
        try:
            reply = json.loads(text) if text else {}
            if status < 300 or "allowed" in reply:
                return parse(reply)
            detail = reply.get("detail")
        except (ValueError, TypeError, KeyError, RecursionError, AttributeError) as e:
            raise _Unavailable(f"{self._url.netloc} replied {status} with a body that is not Headgate's") from e
        if 400 <= status < 500 and isinstance(detail, str):
            raise HeadgateRejected(status, detail[:300])
        raise _Unavailable(f"{self._url.netloc} replied {status}")

    def _send(self, method: str, path: str, body: bytes, deadline: float) -> tuple[int, bytes]:
        """Sends a request once, over the connection of this thread. Never repeats it: it may have charged."""
        headers = {"Content-Type": "application/json"} if body else {}
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        connection = self._connection(deadline)
        try:
            connection.request(method, self._url.path.rstrip("/") + path, body, headers)
            response = connection.getresponse()
            text = response.read(MAX_RESPONSE + 1)
            if len(text) > MAX_RESPONSE:
                raise _Unavailable(f"{self._url.netloc} replied with more than {MAX_RESPONSE} bytes")
            if response.length:
                raise http.client.IncompleteRead(text, response.length)
            return response.status, text
        except (OSError, http.client.HTTPException) as e:
            connection.close()
            raise _Lost(f"{self._url.netloc} failed: {e or type(e).__name__}") from e
        except BaseException:
            connection.close()
            raise

    def _connection(self, deadline: float) -> http.client.HTTPConnection:
        made = getattr(self._local, "connection", None)
        # A connection that the service closed while it was idle is readable; its end must not cost a request.
        if made is not None and made.sock is not None and select.select([made.sock], [], [], 0)[0]:
            made.close()
        if made is None:
            if self._url.scheme == "https":
                made = http.client.HTTPSConnection(self._url.hostname, self._url.port, context=self._tls)
            else:
                made = http.client.HTTPConnection(self._url.hostname, self._url.port)
            self._local.connection = made
            with self._lock:
                self._connections.append(made)
        made.timeout = deadline
        if made.sock is not None:
            made.sock.settimeout(deadline)
        return made


class AsyncHeadgate(Headgate):
    """The same for asyncio: await check, peek, acquire, reserve and report_usage. The requests run on threads of the client."""

    async def check(self, subject: Subject, *, cost: int = 1, costs: Costs | None = None,  # type: ignore[override]
                    deadline: float | None = None, fail_open: bool | None = None) -> Decision:
        call = self._start("/v1/check", subject, cost, costs, deadline)
        return await self._await(call, deadline, self._fallback(fail_open))

    async def peek(self, subject: Subject, *, cost: int = 1, costs: Costs | None = None,  # type: ignore[override]
                   deadline: float | None = None, fail_open: bool | None = None) -> Decision:
        call = self._start("/v1/peek", subject, cost, costs, deadline)
        return await self._await(call, deadline, self._fallback(fail_open))

    async def acquire(self, subject: Subject, *, cost: int = 1, deadline: float | None = None,
                      fail_open: bool | None = None) -> "Slot":
        """Acquires slots: `async with await client.acquire(…) as slot`."""
        call = self._start("/v1/slots", subject, cost, None, deadline)
        return Slot(self, await self._await(call, deadline, self._fallback(fail_open)))

    async def report_usage(self, subject: Subject, *, cost: int = 1, costs: Costs | None = None,  # type: ignore[override]
                           deadline: float | None = None, fail_open: bool | None = None) -> Decision:
        call = self._start("/v1/usage", subject, cost, costs, deadline)
        return await self._await(call, deadline, self._fallback(fail_open))

    async def reserve(self, subject: Subject, *, cost: int = 1, costs: Costs | None = None,  # type: ignore[override]
                      ttl: float | None = None, deadline: float | None = None, fail_open: bool | None = None
                      ) -> AsyncReservation:
        """Reserves: `async with await client.reserve(…) as reservation`."""
        call = self._start_reservation(subject, cost, costs, ttl, deadline)
        try:
            made = await self._await(call, deadline, self._not_granted(call, fail_open))
        except asyncio.CancelledError as e:
            self._not_granted(call, fail_open)(e)
            raise
        return AsyncReservation(self, made, deadline, fail_open)

    def reservation(self, reservation_id: str) -> AsyncReservation:  # type: ignore[override]
        return AsyncReservation(self, Granted(Decision(allowed=True), reservation_id))

    async def _await(self, call: "Future[T]", deadline: float | None, failed: Callable[[BaseException], T],
                     keep: bool = False) -> T:
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(call)), deadline or self._deadline)
        except (_Unavailable, TimeoutError, asyncio.TimeoutError) as e:
            return failed(e)
        finally:
            if not keep:
                call.cancel()


class Slot:
    """The decision on a request, with the slots that it acquired: `with client.slot(…) as slot`."""

    def __init__(self, client: Headgate, decision: Decision):
        self._client, self.decision, self._released = client, decision, False

    @property
    def allowed(self) -> bool:
        return self.decision.allowed

    def release(self) -> None:
        """Releases the slots; later calls have no effect."""
        if self.decision.slot_id is not None and not self._released:
            self._released = True
            self._client.release(self.decision.slot_id)

    def __enter__(self) -> "Slot":
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    async def __aenter__(self) -> "Slot":
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.release)
