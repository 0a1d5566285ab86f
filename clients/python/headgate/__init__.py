"""Client of the Headgate rate limiter. Needs the standard library only."""

from .asgi import HeadgateMiddleware
from .client import AsyncHeadgate, Decision, Headgate, HeadgateRejected, Slot

__all__ = ["AsyncHeadgate", "Decision", "Headgate", "HeadgateMiddleware", "HeadgateRejected", "Slot"]
