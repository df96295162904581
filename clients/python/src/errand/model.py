"""What is submitted and what is told about tasks. Lengths of time are seconds, or timedelta where they are given."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import _json

Seconds = Union[int, float, timedelta]


def milliseconds(length: Seconds) -> int:
    seconds = length.total_seconds() if isinstance(length, timedelta) else length
    return max(round(seconds * 1000), 0)


def instant_text(at: datetime) -> str:
    """RFC 3339. Raises ValueError for a time without a zone, which may be meant in any."""
    if at.tzinfo is None:
        raise ValueError("a time needs its zone: datetime.now(timezone.utc)")
    return at.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def instant_of(text: Optional[str]) -> Optional[datetime]:
    return datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None


@dataclass(frozen=True)
class Submission:
    """A task to be. What is None is as the handler's policy has it."""

    handler: str
    args: Sequence[Any] = ()
    biz_id: Optional[str] = None
    queue: Optional[str] = None
    delay: Optional[Seconds] = None
    at: Optional[datetime] = None
    priority: Optional[int] = None
    timeout: Optional[Seconds] = None
    max_retry: Optional[int] = None
    expires_after: Optional[Seconds] = None
    retention: Optional[Seconds] = None
    after: Sequence[str] = ()
    """Ids of the tasks that it waits for."""
    on_failed_dependency: Optional[str] = None
    """``cancel``, ``wait`` or ``run``."""
    on_duplicate: Optional[str] = None
    """``keep_first``, ``replace`` or ``reject``."""
    headers: Mapping[str, str] = field(default_factory=dict)
    tags: Sequence[str] = ()

    def to_json(self) -> Dict[str, Any]:
        """As the service takes it. Raises BadValue and ValueError."""
        out: Dict[str, Any] = {"handler": self.handler, "args": list(self.args)}
        for name in ("biz_id", "queue", "priority", "max_retry", "on_failed_dependency", "on_duplicate"):
            if getattr(self, name) is not None:
                out[name] = getattr(self, name)
        for name in ("delay", "timeout", "expires_after", "retention"):
            if getattr(self, name) is not None:
                out[name + "_ms"] = milliseconds(getattr(self, name))
        if self.at is not None:
            out["at"] = instant_text(self.at)
        if self.after:
            out["after"] = list(self.after)
        if self.headers:
            out["headers"] = dict(self.headers)
        if self.tags:
            out["tags"] = list(self.tags)
        for name, value in out.items():
            _json.check(value, name)
        return out


@dataclass(frozen=True)
class TaskInfo:
    """A task as it is. ``raw`` has all that the service says, as docs/cli.md describes TASK."""

    id: str
    handler: str
    queue: str
    state: str
    biz_id: Optional[str]
    attempt: int
    args: List[Any]
    result: Any
    errors: List[Dict[str, Any]]
    stages: List[Dict[str, Any]]
    log: List[str]
    progress: Optional[float]
    progress_text: Optional[str]
    headers: Dict[str, str]
    tags: List[str]
    submitted_at: Optional[datetime]
    due_at: Optional[datetime]
    started_at: Optional[datetime]
    finished_at: Optional[datetime]
    raw: Dict[str, Any] = field(repr=False)

    @property
    def has_ended(self) -> bool:
        return self.state in ("success", "dead", "cancelled", "expired")

    @staticmethod
    def of(raw: Dict[str, Any]) -> TaskInfo:
        return TaskInfo(
            id=raw["id"],
            handler=raw["handler"],
            queue=raw["queue"],
            state=raw["state"],
            biz_id=raw.get("biz_id"),
            attempt=raw.get("attempt") or 0,
            args=raw.get("args") or [],
            result=raw.get("result"),
            errors=raw.get("errors") or [],
            stages=raw.get("stages") or [],
            log=raw.get("log") or [],
            progress=raw.get("progress"),
            progress_text=raw.get("progress_text"),
            headers=raw.get("headers") or {},
            tags=raw.get("tags") or [],
            submitted_at=instant_of(raw.get("submitted_at")),
            due_at=instant_of(raw.get("due_at")),
            started_at=instant_of(raw.get("started_at")),
            finished_at=instant_of(raw.get("finished_at")),
            raw=raw,
        )


@dataclass(frozen=True)
class Page:
    """Tasks in one state; ``next`` is the cursor of the next page, or None."""

    tasks: List[TaskInfo]
    next: Optional[str]
    complete: bool
    """False while a server of several does not answer, and its tasks are missing."""


@dataclass(frozen=True)
class Claimed:
    """A task that was taken to be run."""

    id: str
    claim: str
    """To be shown with all that is said of the attempt."""
    handler: str
    queue: str
    args: List[Any]
    attempt: int
    max_retry: int
    priority: int
    biz_id: Optional[str]
    timeout: float
    """Seconds that the attempt may last; 0: no limit."""
    headers: Dict[str, str]
    tags: List[str]
    last_error: Optional[Dict[str, str]]
    """``type`` and ``message`` of the attempt before."""
    submitted_at: Optional[datetime]
    started_at: Optional[datetime]
    lease_until: Optional[datetime]

    @property
    def fence(self) -> int:
        """Never smaller for a later attempt of the same task: for other systems, which refuse what is older."""
        return int(self.claim.split(".", 1)[0])

    @staticmethod
    def of(raw: Dict[str, Any]) -> Claimed:
        return Claimed(
            id=raw["id"],
            claim=raw["claim"],
            handler=raw["handler"],
            queue=raw["queue"],
            args=raw["args"],
            attempt=raw["attempt"],
            max_retry=raw["max_retry"],
            priority=raw["priority"],
            biz_id=raw["biz_id"],
            timeout=raw["timeout_ms"] / 1000,
            headers=raw["headers"],
            tags=raw["tags"],
            last_error=raw["last_error"],
            submitted_at=instant_of(raw["submitted_at"]),
            started_at=instant_of(raw["started_at"]),
            lease_until=instant_of(raw["lease_until"]),
        )


@dataclass(frozen=True)
class Report:
    """What became of a task that was taken: ``success``, ``failure``, ``discard``, ``snooze`` or ``give_back``."""

    id: str
    claim: str
    outcome: str
    result: Any = None
    error_type: str = ""
    error_message: str = ""
    delay: Optional[Seconds] = None

    def to_json(self) -> Dict[str, Any]:
        out: Dict[str, Any] = {"id": self.id, "claim": self.claim, "outcome": self.outcome}
        if self.outcome == "success":
            _json.check(self.result, "result")
            out["result"] = self.result
        if self.outcome in ("failure", "discard"):
            out["error"] = {"type": self.error_type, "message": self.error_message}
        if self.delay is not None:
            out["delay_ms"] = milliseconds(self.delay)
        return out
