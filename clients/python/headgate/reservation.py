"""Reservations: permits that are held for a request until its real cost is known."""

from __future__ import annotations

import json
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Callable, Mapping, TypeVar, Union
from urllib.parse import quote

if TYPE_CHECKING:
    from .client import AsyncHeadgate, Decision, Headgate

T = TypeVar("T")
Costs = Mapping[str, int]
#: A call that was started, with the other arguments of waiting for it: deadline, fallback, whether to keep it.
Call = tuple["Future[T]", Union[float, None], Callable[[BaseException], T], bool]


def _costs(value: Any) -> dict[str, int]:
    if not isinstance(value, dict) or not all(type(permits) is int for permits in value.values()):
        raise ValueError("not permits by cost")
    return value


def path_of(reservation_id: str) -> str:
    return "/v1/reservations/" + quote(reservation_id, safe="")


@dataclass(frozen=True)
class Granted:
    """The reply to a reservation."""

    decision: Decision
    id: str | None = None
    reserved: Costs = field(default_factory=dict)
    expires_at: float | None = None


def granted(decision: Decision, body: dict[str, Any]) -> Granted:
    if not decision.allowed:
        return Granted(decision)
    if not isinstance(decision.slot_id, str) or not decision.slot_id:
        raise ValueError("a reservation without an id")
    return Granted(replace(decision, slot_id=None), decision.slot_id, _costs(body["reserved"]), body["expiresAtMs"] / 1000)


@dataclass(frozen=True)
class Update:
    """The state of a reservation after an update."""

    #: False if nothing is left for the request, which should end.
    may_continue: bool
    #: open, settled, expired or local; unavailable if the service did not answer.
    status: str
    #: What is left of the reservation.
    reserved: Costs = field(default_factory=dict)
    #: Whether the permits of `more` were added.
    grown: bool = False
    #: In seconds since 1970, by the clock of the service.
    expires_at: float | None = None
    #: Why the service did not answer; None if it did.
    failure: str | None = None

    @staticmethod
    def parse(body: dict[str, Any]) -> "Update":
        goes_on, status, expires = body["continue"], body["status"], body.get("expiresAtMs")
        if not isinstance(goes_on, bool) or not isinstance(status, str):
            raise ValueError("not an update of a reservation")
        return Update(goes_on, status, _costs(body.get("reserved", {})), body.get("grown", False),
                      None if expires is None else expires / 1000)


@dataclass(frozen=True)
class Settlement:
    """What a settlement charged and returned. A repetition has the same."""

    #: settled or local; unavailable if the service did not answer. The reservation then expires, or is settled again.
    status: str
    charged: Costs = field(default_factory=dict)
    returned: Costs = field(default_factory=dict)
    #: Why the service did not answer; None if it did.
    failure: str | None = None

    @staticmethod
    def parse(body: dict[str, Any]) -> "Settlement":
        status = body["status"]
        if not isinstance(status, str):
            raise ValueError("not a settlement")
        return Settlement(status, _costs(body.get("charged", {})), _costs(body.get("returned", {})))


class _Held:
    """The decision on a reservation, with the permits that it holds.

    Under fail-open, the reservation of an unavailable service is allowed and not `backed`: the service has no record of
    it, so that updates let the request continue, and settling and cancelling do nothing.
    """

    def __init__(self, client: Headgate, made: Granted, deadline: float | None = None, fail_open: bool | None = None):
        self.decision = made.decision
        #: By which any process may go on with `client.reservation(id)`; None if denied or not backed.
        self.id = made.id
        #: The permits that the service holds, by cost; fewer than requested if the rule bounds them.
        self.reserved = made.reserved
        #: In seconds since 1970, by the clock of the service. An update returns a later one.
        self.expires_at = made.expires_at
        self._client, self._deadline, self._fail_open = client, deadline, fail_open
        self._used: dict[str, Any] | None = None  # the arguments of settling it
        self._ended = False

    @property
    def allowed(self) -> bool:
        return self.decision.allowed

    @property
    def backed(self) -> bool:
        """Whether the service holds permits for the request."""
        return self.id is not None

    def _update(self, used: Costs, cost: int | None, more: Costs | None) -> Call[Update]:
        self._used = {"actual": dict(used), "cost": cost}
        body = _amounts("used", used, cost) | ({"more": dict(more)} if more else {})
        return self._send("PATCH", "", body, Update.parse,
                          lambda failed: Update(failed.allowed, self._failure_status(), failure=failed.failure))

    def _settle(self, actual: Costs, cost: int | None) -> Call[Settlement]:
        return self._send("POST", "/settle", _amounts("actual", actual, cost), Settlement.parse,
                          lambda failed: Settlement(self._failure_status(), failure=failed.failure))

    def _cancel(self) -> Call[None]:
        return self._send("DELETE", "", None, lambda _: None, lambda _: None)

    def _send(self, method: str, suffix: str, body: dict[str, Any] | None, parse: Callable[[Any], T],
              failed: Callable[[Decision], T]) -> Call[T]:
        """Starts a call. One that ends the reservation is idempotent by the id: it is repeated, and sent even if the caller
        no longer waits, since requests whose clients have gone are settled, too."""
        if not self.allowed:
            raise RuntimeError("the reservation was denied, so that there is nothing to update or settle; check allowed")
        ends = method != "PATCH"
        text = b"" if body is None else json.dumps(body).encode()
        self._ended = self._ended or ends
        if self.id is None:
            call: Future[T] = Future()
            call.set_result(failed(self.decision))
        else:
            call = self._client._call(method, path_of(self.id) + suffix, text, parse, self._deadline, repeat=ends)
        return call, self._deadline, lambda e: failed(self._client._failed(e, self._fail_open)), ends

    def _failure_status(self) -> str:
        return "unavailable" if self.backed else "local"

    def _open(self) -> bool:
        return self.backed and not self._ended


def _amounts(name: str, costs: Costs, cost: int | None) -> dict[str, Any]:
    return {name: dict(costs)} | ({} if cost is None else {"cost": cost})


class Reservation(_Held):
    """A reservation: `with client.reserve(…) as reservation`.

    The end of the block settles the usage that was last reported, or cancels if none was, unless the reservation was
    settled or cancelled before.
    """

    def update(self, used: Costs, *, cost: int | None = None, more: Costs | None = None) -> Update:
        """Reports the usage since the beginning and extends the expiry; `more` adds permits, all or none.

        cost: the usage of limits without a named cost."""
        return self._client._wait(*self._update(used, cost, more))

    def settle(self, actual: Costs, *, cost: int | None = None) -> Settlement:
        """Charges the real cost and returns the rest. Sent again once if the response is lost."""
        return self._client._wait(*self._settle(actual, cost))

    def cancel(self) -> None:
        """Returns everything. Sent again once if the response is lost."""
        self._client._wait(*self._cancel())

    def close(self) -> None:
        """Ends the reservation as the end of a block does. Ignores failures: the reservation expires."""
        try:
            if self._open():
                self.settle(**self._used) if self._used else self.cancel()
        except Exception:  # the reservation expires
            pass

    def __enter__(self) -> "Reservation":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncReservation(_Held):
    """The same for asyncio: `async with await client.reserve(…) as reservation`."""

    _client: AsyncHeadgate

    async def update(self, used: Costs, *, cost: int | None = None, more: Costs | None = None) -> Update:
        return await self._client._await(*self._update(used, cost, more))

    async def settle(self, actual: Costs, *, cost: int | None = None) -> Settlement:
        return await self._client._await(*self._settle(actual, cost))

    async def cancel(self) -> None:
        await self._client._await(*self._cancel())

    async def close(self) -> None:
        try:
            if self._open():
                await (self.settle(**self._used) if self._used else self.cancel())
        except Exception:  # the reservation expires
            pass

    async def __aenter__(self) -> "AsyncReservation":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
