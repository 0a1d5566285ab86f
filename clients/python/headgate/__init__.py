"""Client of the Headgate rate limiter. Needs the standard library only."""

from .asgi import HeadgateMiddleware
from .client import AsyncHeadgate, Decision, Headgate, HeadgateRejected, Slot
from .reservation import AsyncReservation, Reservation, Settlement, Update

__all__ = ["AsyncHeadgate", "AsyncReservation", "Decision", "Headgate", "HeadgateMiddleware", "HeadgateRejected",
           "Reservation", "Settlement", "Slot", "Update"]
