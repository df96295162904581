"""Each call of the service as data: what is sent, whether it may be sent again, and what its answer is. Both clients make
them, each with I/O of its own."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generic, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar
from urllib.parse import quote, urlencode

from . import _json
from .errors import ServiceError, TaskCancelled, TaskExpired, TaskFailed, error_of, error_of_item
from .model import Claimed, Page, Report, Seconds, Submission, TaskInfo, milliseconds
from ._http import Response

T = TypeVar("T")

longest_wait = 60.0
most_items = 1000
most_bytes = 4 * 1024 * 1024
"""Of a batch: well below what the service takes by default."""


@dataclass(frozen=True)
class Call(Generic[T]):
    method: str
    path: str
    """Below the namespace."""
    read: Callable[[Any], T]
    body: Optional[str] = None
    query: Mapping[str, Any] = field(default_factory=dict)
    key: Optional[str] = None
    safe: bool = True
    """To be asked again counts once, or changes nothing."""
    wait: float = 0.0
    """Seconds that the service may take beside those that every call may take."""

    def target(self, name_space: str) -> str:
        query = {name: value for name, value in self.query.items() if value is not None}
        return f"/v1/{quote(name_space, safe='')}{self.path}" + (f"?{urlencode(query)}" if query else "")

    def headers(self, host: str, token: Optional[str]) -> List[Tuple[str, str]]:
        lines = [("Host", host), ("Accept", "application/json"), ("Accept-Encoding", "gzip")]
        if token:
            lines.append(("Authorization", f"Bearer {token}"))
        if self.body is not None:
            lines.append(("Content-Type", "application/json"))
        if self.key is not None:
            lines.append(("Idempotency-Key", self.key))
        return lines


def answer_of(got: Response) -> Any:
    """Its JSON. Raises ServiceError."""
    try:
        document = _json.value_of(got.body) if got.body else None
    except ValueError:
        document = None
    if got.status < 300 and document is not None:
        return document
    error = document.get("error") if isinstance(document, dict) else None
    if not isinstance(error, dict):
        error = {"code": "internal", "message": f"status {got.status}, and no answer of this service"}
    raise error_of(got.status, error, got.seconds_to_wait(), got.headers.get("x-request-id"))


def has_unstored_item(document: Any) -> bool:
    """An item of the batch met a store that did not answer: the batch is to be sent again."""
    results = document.get("results", []) if isinstance(document, dict) else []
    return any("error" in one and one["error"].get("code") == "unavailable" for one in results)


# ---- submitting ----


@dataclass(frozen=True)
class Submitted:
    id: str
    created: bool


def _submitted(raw: Any) -> Submitted:
    return Submitted(raw["id"], raw["created"])


def _counts_once(one: Submission) -> bool:
    return one.on_duplicate != "reject"


def submit(one: Submission, key: Optional[str]) -> Call[Submitted]:
    if key is None and one.biz_id is None:
        key = uuid.uuid4().hex
    return Call("POST", "/tasks", _submitted, _json.text_of(one.to_json()), key=key, safe=_counts_once(one))


@dataclass(frozen=True)
class Part:
    """Some of many, and where they stand among all."""

    call: Call[List[Any]]
    places: List[int]


def submit_many(tasks: Sequence[Submission], key: Optional[str]) -> Iterator[Part]:
    """In as many calls as it takes. A task with a biz_id counts once by that, and takes no key."""
    texts = [_json.text_of(one.to_json()) for one in tasks]
    keyed = [i for i, one in enumerate(tasks) if one.biz_id is None]
    named = [i for i, one in enumerate(tasks) if one.biz_id is not None]
    key = key if key is not None else uuid.uuid4().hex
    for number, places in enumerate(_parts(keyed, texts)):
        yield _submit_part(tasks, texts, places, f"{key}-{number}" if number else key)
    for places in _parts(named, texts):
        yield _submit_part(tasks, texts, places, None)


def _submit_part(tasks: Sequence[Submission], texts: List[str], places: List[int], key: Optional[str]) -> Part:
    body = '{"tasks":[' + ",".join(texts[i] for i in places) + "]}"
    safe = all(_counts_once(tasks[i]) for i in places)
    return Part(Call("POST", "/tasks:batch", _items(_submitted), body, key=key, safe=safe), places)


def _parts(places: List[int], texts: Sequence[str]) -> Iterator[List[int]]:
    part: List[int] = []
    size = 0
    for i in places:
        length = len(texts[i]) * 3  # in UTF-8 at most
        if part and (len(part) == most_items or size + length > most_bytes):
            yield part
            part, size = [], 0
        part.append(i)
        size += length
    if part:
        yield part


def _items(read: Callable[[Any], T]) -> Callable[[Any], List[Any]]:
    def one(raw: Any) -> Any:
        return error_of_item(raw["error"]) if "error" in raw else read(raw)

    return lambda document: [one(raw) for raw in document["results"]]


# ---- looking and changing ----


def _path(id: str, verb: str = "") -> str:
    return f"/tasks/{quote(id, safe='')}{verb}"


def info(id: str, wait: float = 0.0) -> Call[TaskInfo]:
    return Call("GET", _path(id), TaskInfo.of, query={"wait_ms": milliseconds(wait)} if wait else {}, wait=wait)


def result_of(task: TaskInfo) -> Any:
    """Of a task that has ended. Raises TaskFailed."""
    if task.state == "success":
        return task.result
    kinds = {"cancelled": TaskCancelled, "expired": TaskExpired}
    raise kinds.get(task.state, TaskFailed)(task.id, task.state, task.errors)


def listed(query: Mapping[str, Any]) -> Call[Page]:
    def read(raw: Any) -> Page:
        return Page([TaskInfo.of(one) for one in raw["tasks"]], raw["next"], raw["complete"])

    return Call("GET", "/tasks", read, query=query)


def found(handler: str, biz_id: str) -> Call[Optional[TaskInfo]]:
    def read(raw: Any) -> Optional[TaskInfo]:
        return TaskInfo.of(raw["tasks"][0]) if raw["tasks"] else None

    return Call("GET", "/tasks", read, query={"handler": handler, "biz_id": biz_id})


def cancel(id: str) -> Call[str]:
    return Call("POST", _path(id, ":cancel"), lambda raw: str(raw["state"]))


def revive(id: str) -> Call[str]:
    # Done twice it is refused the second time.
    return Call("POST", _path(id, ":revive"), lambda raw: str(raw["state"]), safe=False)


def due_members(delay: Optional[Seconds], at: Any) -> Dict[str, Any]:
    return Submission("", delay=delay, at=at).to_json()


def reschedule(id: str, delay: Optional[Seconds], at: Any) -> Call[TaskInfo]:
    return _change("POST", _path(id, ":reschedule"), {}, delay, at)


def change(
    id: str, args: Optional[Sequence[Any]], priority: Optional[int], delay: Optional[Seconds], at: Any
) -> Call[TaskInfo]:
    body: Dict[str, Any] = {}
    if args is not None:
        _json.check(args, "args")
        body["args"] = list(args)
    if priority is not None:
        body["priority"] = priority
    return _change("PATCH", _path(id), body, delay, at)


def _change(method: str, path: str, body: Dict[str, Any], delay: Optional[Seconds], at: Any) -> Call[TaskInfo]:
    due = due_members(delay, at)
    body.update({name: due[name] for name in ("delay_ms", "at") if name in due})
    # A delay counts from when it is asked.
    return Call(method, path, TaskInfo.of, _json.text_of(body), safe=delay is None)


def queues() -> Call[List[Dict[str, Any]]]:
    return Call("GET", "/queues", lambda raw: list(raw["queues"]))


def workers() -> Call[List[Dict[str, Any]]]:
    return Call("GET", "/workers", lambda raw: list(raw["workers"]))


# ---- working ----


@dataclass(frozen=True)
class Wish:
    """What a worker asks for."""

    worker: str
    queues: Mapping[str, int]
    handlers: Sequence[str] = ()
    limit: int = 1
    lease: Optional[Seconds] = None
    wait: float = 0.0

    def to_json(self) -> Dict[str, Any]:
        out: Dict[str, Any] = {"worker": self.worker, "queues": dict(self.queues), "limit": self.limit}
        if self.handlers:
            out["handlers"] = list(self.handlers)
        if self.lease is not None:
            out["lease_ms"] = milliseconds(self.lease)
        if self.wait:
            out["wait_ms"] = milliseconds(self.wait)
        _json.check(out, "")
        return out


def _claimed(raw: Any) -> List[Claimed]:
    return [Claimed.of(one) for one in raw.get("tasks", [])]


def claim(wish: Wish) -> Call[List[Claimed]]:
    # Asked again it takes further tasks, and those of an answer that was lost wait for their lease.
    return Call("POST", "/work:claim", _claimed, _json.text_of(wish.to_json()), safe=False, wait=wish.wait)


def report(texts: Sequence[str]) -> Call[List[Any]]:
    """Answers the state of each, or its ServiceError."""
    body = '{"reports":[' + ",".join(texts) + "]}"
    return Call("POST", "/work:report", _items(lambda raw: str(raw["state"])), body)


def report_parts(reports: Sequence[Report]) -> Iterator[Part]:
    texts = [_json.text_of(one.to_json()) for one in reports]
    for places in _parts(list(range(len(texts))), texts):
        yield Part(report([texts[i] for i in places]), places)


def extend(held: Sequence[Tuple[str, str]], lease: Optional[Seconds]) -> Call[List[Optional[ServiceError]]]:
    """Of ids and claims, at most `most_items`. Answers None for each, or its ServiceError."""
    body: Dict[str, Any] = {"tasks": [{"id": id, "claim": claim} for id, claim in held]}
    if lease is not None:
        body["lease_ms"] = milliseconds(lease)
    return Call("POST", "/work:extend", _items(lambda raw: None), _json.text_of(body))


def _said(id: str, verb: str, body: Dict[str, Any], read: Callable[[Any], T], safe: bool = True) -> Call[T]:
    _json.check(body, "")
    return Call("POST", _path(id, verb), read, _json.text_of(body), safe=safe)


def progress(id: str, claim: str, done: float, text: str) -> Call[None]:
    body: Dict[str, Any] = {"claim": claim, "done": done}
    if text:
        body["text"] = text
    return _said(id, ":progress", body, lambda raw: None)


def log(id: str, claim: str, lines: Sequence[str]) -> Call[None]:
    return _said(id, ":log", {"claim": claim, "lines": list(lines)}, lambda raw: None, safe=False)


def stage(id: str, claim: str, name: str, result: Any, length: float) -> Call[Any]:
    """Answers the result as it is kept."""
    body = {"claim": claim, "name": name, "result": result, "length_ms": milliseconds(length)}
    return _said(id, ":stage", body, lambda raw: raw["result"])


def stages(id: str, claim: str) -> Call[Dict[str, Any]]:
    """Results by the names of stages."""
    return _said(
        id, ":stages", {"claim": claim}, lambda raw: {one["name"]: one["result"] for one in raw["stages"]}
    )
