"""What can go wrong, and what a function may raise to say how its attempt ends."""

from __future__ import annotations

from typing import Any, Dict, List, Optional


class Error(Exception):
    """All errors of this package."""


class BadValue(Error, ValueError):
    """A value cannot travel as JSON; ``path`` names the part that cannot."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path


class ConnectionFailed(Error, ConnectionError):
    """The service was not reached, or went away before it had answered, for as long as was tried.

    What was asked may have happened or not, unless ``sent`` is false.
    """

    def __init__(self, message: str, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


class ResultTimeout(Error, TimeoutError):
    """The task has not ended within the time that ``result`` was given. It goes on."""


class ServiceError(Error):
    """The service has refused a call, or one item of it: its code, message and path, and the status of HTTP."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        path: Optional[str] = None,
        retry_after: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(f"{message} ({code}{', ' + path if path else ''})")
        self.status = status
        self.code = code
        self.message = message
        self.path = path
        self.retry_after = retry_after
        """Seconds after which it may be otherwise, where the service says so."""
        self.request_id = request_id
        """What the service's log has it under."""


class BadRequest(ServiceError):
    """400, 413, 415, 422: something does not fit; ``path`` says where."""


class NotAllowed(ServiceError):
    """401, 403: no token, one that is unknown, or one that is not for this."""


class NotFound(ServiceError):
    """404: no such task or namespace."""


class Conflict(ServiceError):
    """409: the task is in no state for this, or its biz_id is held."""


class ClaimLost(Conflict):
    """409: the task is no longer under the claim that was shown."""


class QuotaExceeded(ServiceError):
    """429: the quota of the namespace is used up."""


class Unavailable(ServiceError):
    """429, 5xx: the service is too busy, its store does not answer, or the token asks more often than its rate allows."""


class TaskFailed(Error):
    """A task whose result was awaited has ended otherwise; ``state`` says how."""

    def __init__(self, id: str, state: str, errors: List[Dict[str, Any]]) -> None:
        last = errors[-1] if errors else None
        why = f": {last['type']}: {last['message']}" if last else ""
        super().__init__(f"the task {id} ended as {state}{why}")
        self.id = id
        self.state = state
        self.errors = errors
        """Of its failed attempts: ``attempt``, ``type``, ``message`` and so on, oldest first."""


class TaskCancelled(TaskFailed):
    """It was cancelled."""


class TaskExpired(TaskFailed):
    """It was not started in time."""


class Cancelled(Error):
    """The running task is no longer this worker's: it was cancelled, or its lease has run out. What the function does
    from here on does not count."""


class Outcome(Error):
    """A function raises one of these to end its attempt in another way than by success or failure."""


class RetryIn(Outcome):
    """A failure, with the next attempt after so many seconds instead of the handler's backoff."""

    def __init__(self, seconds: float, message: str = "to be tried again") -> None:
        super().__init__(message)
        self.seconds = seconds


class Discard(Outcome):
    """A failure that no retry mends: the task is dead at once."""


class Snooze(Outcome):
    """Not now, but in so many seconds; uses no attempt."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"not for {seconds} s")
        self.seconds = seconds


class GiveBack(Outcome):
    """To the head of its queue, for another worker; uses no attempt."""


def error_of(
    status: int, error: Dict[str, Any], retry_after: Optional[float] = None, request_id: Optional[str] = None
) -> ServiceError:
    """The exception for ``{"code", "message", "path"}``."""
    code = str(error.get("code", "internal"))
    return _kind(status, code)(status, code, str(error.get("message", "")), error.get("path"), retry_after, request_id)


_by_code = {
    "claim_lost": ClaimLost,
    "conflict": Conflict,
    "quota_exceeded": QuotaExceeded,
    "not_found": NotFound,
    "unauthorized": NotAllowed,
    "forbidden": NotAllowed,
    "cross_site": NotAllowed,
    "busy": Unavailable,
    "rate_limited": Unavailable,
    "unavailable": Unavailable,
    "internal": Unavailable,
}

_status_of_code = {
    "too_large": 413,
    "key_reused": 422,
    "conflict": 409,
    "claim_lost": 409,
    "quota_exceeded": 429,
    "busy": 429,
    "not_found": 404,
    "unavailable": 503,
    "internal": 500,
}


def _kind(status: int, code: str) -> type[ServiceError]:
    if code in _by_code:
        return _by_code[code]
    return Unavailable if status >= 500 or status in (408, 429) else BadRequest


def error_of_item(error: Dict[str, Any]) -> ServiceError:
    """The exception for an item of a batch, which has no status of its own."""
    return error_of(_status_of_code.get(str(error.get("code")), 400), error)
