"""When a call that has failed is made again."""

from __future__ import annotations

import random
import time
from typing import Optional

from ._http import Response

_first_pause = 0.05
_longest_pause = 2.0


class Patience:
    """Of one call. Without I/O: says how long to pause, or None when it is over."""

    def __init__(self, seconds: float, safe: bool) -> None:
        self._end = time.monotonic() + seconds
        self._safe = safe
        self._pause = _first_pause

    def after_failure(self, sent: bool) -> Optional[float]:
        """The connection has failed; `sent`: after the service may have read the request."""
        if sent and not self._safe:
            return None
        return self._next(None)

    def after_answer(self, got: Response) -> Optional[float]:
        """The service has answered with an error of its own, and not of the caller's."""
        nothing_was_done = got.status == 429 and (b'"busy"' in got.body or b'"rate_limited"' in got.body)
        if got.status in (502, 503, 504, 408) and self._safe or nothing_was_done:
            return self._next(got.seconds_to_wait())
        return None

    def after_item(self) -> Optional[float]:
        """An item of a batch could not be stored."""
        return self._next(None) if self._safe else None

    def _next(self, asked: Optional[float]) -> Optional[float]:
        pause = asked if asked is not None else self._pause * (0.5 + random.random() / 2)
        self._pause = min(self._pause * 2, _longest_pause)
        return pause if time.monotonic() + pause < self._end else None
