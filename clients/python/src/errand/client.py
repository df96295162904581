"""The client for programs that wait where they stand."""

from __future__ import annotations

import select
import socket
import threading
import time
from datetime import datetime
from types import TracebackType
from typing import Any, Dict, Generic, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import _calls, _http
from ._retry import Patience
from .errors import ConnectionFailed, ResultTimeout, ServiceError
from .model import Claimed, Page, Report, Seconds, Submission, TaskInfo

T = TypeVar("T")


class _Connection:
    def __init__(self, at: _http.Address, within: float) -> None:
        if at.path:
            self.socket: socket.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.socket.settimeout(within)
            try:
                self.socket.connect(at.path)
            except OSError:
                self.socket.close()
                raise
        else:
            self.socket = socket.create_connection((at.name, at.port), within)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if at.tls:
            self.socket = at.tls.wrap_socket(self.socket, server_hostname=at.name)
        self.file = self.socket.makefile("rb")

    def exchange(self, request: bytes, within: float) -> _http.Response:
        self.socket.settimeout(within)
        self.socket.sendall(request)
        reader = _http.read_response()
        wanted = next(reader)
        while True:
            if wanted == _http.LINE:
                got = self.file.readline(65536)
            else:
                got = self.file.read(-1 if wanted == _http.REST else wanted)
            try:
                wanted = reader.send(got)
            except StopIteration as end:
                response: _http.Response = end.value
                return response

    def is_fresh(self) -> bool:
        """Nothing has come since the last answer: what comes unasked is the end."""
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return not poll.poll(0)

    def close(self) -> None:
        self.file.close()
        self.socket.close()


class Task(Generic[T]):
    """A task that was submitted."""

    def __init__(self, client: Client, id: str, created: bool) -> None:
        self._client = client
        self.id = id
        self.created = created
        """False: it was there already, by its biz_id or key."""

    def __repr__(self) -> str:
        return f"<errand task {self.id}>"

    def result(self, timeout: Optional[float] = None) -> Any:
        """See Client.result."""
        return self._client.result(self.id, timeout)

    def info(self) -> TaskInfo:
        return self._client.info(self.id)

    def cancel(self) -> str:
        return self._client.cancel(self.id)


class Client:
    """The tasks of one namespace. Any thread may use it; each call that is under way has a connection of its own, which is
    kept for later ones. Calls raise ServiceError when the service refuses, ConnectionFailed when it is not reached.

    ``url``: ``http://host:port``, ``https://host``, ``unix:/path``, or ``https://unix:/path`` where the service speaks TLS on its
    socket, with a certificate for ``localhost``. ``timeout``: seconds for one answer. ``retry_for``: for so many seconds a call
    that can be repeated is, when the service is away or busy, and any while the token's rate is reached; 0: never. ``tls``: for
    ``https``, where the system's authorities are not those that are trusted: a file of them in PEM, or an ``ssl.SSLContext``.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:7070",
        *,
        token: Optional[str] = None,
        name_space: str = "default",
        timeout: float = 30.0,
        retry_for: float = 30.0,
        tls: Optional[_http.Tls] = None,
    ) -> None:
        self._at = _http.address_of(url, tls)
        self._token = token
        self._name_space = name_space
        self._timeout = timeout
        self._retry_for = retry_for
        self._idle: List[_Connection] = []
        self._guard = threading.Lock()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], why: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes what is not in use."""
        with self._guard:
            idle, self._idle = self._idle, []
        for one in idle:
            one.close()

    # ---- submitting ----

    def submit(
        self,
        handler: str,
        *args: Any,
        key: Optional[str] = None,
        biz_id: Optional[str] = None,
        queue: Optional[str] = None,
        delay: Optional[Seconds] = None,
        at: Optional[datetime] = None,
        priority: Optional[int] = None,
        timeout: Optional[Seconds] = None,
        max_retry: Optional[int] = None,
        expires_after: Optional[Seconds] = None,
        retention: Optional[Seconds] = None,
        after: Sequence[str] = (),
        on_failed_dependency: Optional[str] = None,
        on_duplicate: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
        tags: Sequence[str] = (),
    ) -> Task[Any]:
        """Submits a task for the handler of this wire name. ``key``: of equal ones one counts, also from another process,
        for as long as the task is kept; without one and without a biz_id the client makes one up for its own retries."""
        one = Submission(
            handler, args, biz_id, queue, delay, at, priority, timeout, max_retry, expires_after, retention, after,
            on_failed_dependency, on_duplicate, headers or {}, tags,
        )  # fmt: skip
        done = self._ask(_calls.submit(one, key))
        return Task(self, done.id, done.created)

    def submit_many(
        self, tasks: Sequence[Submission], *, key: Optional[str] = None
    ) -> List[Union[Task[Any], ServiceError]]:
        """Submits many in few calls. In order, the task of each, or why it was refused: a bad one does not stop others."""
        all: List[Any] = [None] * len(tasks)
        for part in _calls.submit_many(tasks, key):
            results = self._ask(part.call)
            for place, done in zip(part.places, results):
                all[place] = done if isinstance(done, ServiceError) else Task(self, done.id, done.created)
        return all

    # ---- waiting and looking ----

    def result(self, id: str, timeout: Optional[float] = None) -> Any:
        """The result of the task, once it has ended: waits for it by long polls, ``timeout`` seconds at most. Raises TaskFailed,
        TaskCancelled, TaskExpired or ResultTimeout."""
        return _calls.result_of(self.wait(id, timeout))

    def wait(self, id: str, timeout: Optional[float] = None) -> TaskInfo:
        """The task once it has ended, however. Raises ResultTimeout."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _calls.longest_wait if end is None else min(end - time.monotonic(), _calls.longest_wait)
            task = self._ask(_calls.info(id, max(left, 0)))
            if task.has_ended:
                return task
            if end is not None and time.monotonic() >= end:
                raise ResultTimeout(f"the task {id} is {task.state}, and has not ended within {timeout} s")

    def info(self, id: str) -> TaskInfo:
        """The task as it is. Raises NotFound."""
        return self._ask(_calls.info(id))

    def find(self, handler: str, biz_id: str) -> Optional[TaskInfo]:
        """The task of this biz_id, or None."""
        return self._ask(_calls.found(handler, biz_id))

    def tasks(
        self,
        state: str,
        *,
        queue: Optional[str] = None,
        handler: Optional[str] = None,
        biz_id: Optional[str] = None,
        tag: Optional[str] = None,
        error: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        order: Optional[str] = None,
    ) -> Page:
        """Tasks in one state, by page: GET /v1/{namespace}/tasks."""
        return self._ask(
            _calls.listed(
                dict(
                    state=state, queue=queue, handler=handler, biz_id=biz_id, tag=tag, error=error, limit=limit,
                    cursor=cursor, order=order,
                )  # fmt: skip
            )
        )

    def queues(self) -> List[Dict[str, Any]]:
        """As ``errand queues --json`` prints them."""
        return self._ask(_calls.queues())

    def workers(self) -> List[Dict[str, Any]]:
        """As ``errand workers --json`` prints them."""
        return self._ask(_calls.workers())

    # ---- changing ----

    def cancel(self, id: str) -> str:
        """Ends a task that has not ended; a running one is told. Returns its state now."""
        return self._ask(_calls.cancel(id))

    def revive(self, id: str) -> str:
        """Starts a dead, cancelled or expired task again. Returns its state now."""
        return self._ask(_calls.revive(id))

    def reschedule(self, id: str, *, delay: Optional[Seconds] = None, at: Optional[datetime] = None) -> TaskInfo:
        """Gives a task that does not run another due time."""
        return self._ask(_calls.reschedule(id, delay, at))

    def change(
        self,
        id: str,
        *,
        args: Optional[Sequence[Any]] = None,
        priority: Optional[int] = None,
        delay: Optional[Seconds] = None,
        at: Optional[datetime] = None,
    ) -> TaskInfo:
        """Gives a task that has never started other arguments, another priority or due time."""
        return self._ask(_calls.change(id, args, priority, delay, at))

    # ---- working: what Worker is made of ----

    def claim(
        self,
        worker: str,
        queues: Mapping[str, int],
        *,
        handlers: Sequence[str] = (),
        limit: int = 1,
        lease: Optional[Seconds] = None,
        wait: float = 0.0,
    ) -> List[Claimed]:
        """Takes tasks to run them. Not repeated: an answer that was lost has taken some."""
        return self._ask(_calls.claim(_calls.Wish(worker, queues, handlers, limit, lease, wait)))

    def report(self, reports: Sequence[Report]) -> List[Union[str, ServiceError]]:
        """Says what became of tasks. In order, the state of each, or why the report was refused."""
        all: List[Any] = [None] * len(reports)
        for part in _calls.report_parts(reports):
            results = self._ask(part.call)
            for place, done in zip(part.places, results):
                all[place] = done
        return all

    def extend(
        self, held: Sequence[Tuple[str, str]], lease: Optional[Seconds] = None
    ) -> List[Optional[ServiceError]]:
        """Keeps tasks, by id and claim, for a lease more. In order, None or why one is not kept."""
        all: List[Optional[ServiceError]] = []
        for at in range(0, len(held), _calls.most_items):
            some = self._ask(_calls.extend(held[at : at + _calls.most_items], lease))
            all += some
        return all

    # ---- asking ----

    def _ask(self, call: _calls.Call[T]) -> T:
        request = _http.request_bytes(
            call.method,
            call.target(self._name_space),
            call.headers(self._at.host, self._token),
            None if call.body is None else call.body.encode("utf-8"),
        )
        patience = Patience(self._retry_for, call.safe)
        while True:
            sent = False
            try:
                connection, used = self._take()
                try:
                    sent = True
                    got = self._exchange(connection, request, call.wait)
                except OSError:
                    # One that was kept may have been closed meanwhile: that is no reason to pause.
                    if not used or not call.safe:
                        raise
                    connection = _Connection(self._at, self._timeout)
                    got = self._exchange(connection, request, call.wait)
            except OSError as why:
                pause = patience.after_failure(sent)
                if pause is None:
                    raise ConnectionFailed(f"{call.method} {call.path}: {why or type(why).__name__}", sent) from why
                time.sleep(pause)
                continue
            self._keep(connection, got)
            pause = patience.after_answer(got)
            if pause is None:
                document = _calls.answer_of(got)
                pause = patience.after_item() if _calls.has_unstored_item(document) else None
                if pause is None:
                    return call.read(document)
            time.sleep(pause)

    def _exchange(self, connection: _Connection, request: bytes, wait: float) -> _http.Response:
        try:
            return connection.exchange(request, self._timeout + wait)
        except BaseException:
            connection.close()
            raise

    def _take(self) -> Tuple[_Connection, bool]:
        while True:
            with self._guard:
                kept = self._idle.pop() if self._idle else None
            if kept is None:
                break
            if kept.is_fresh():
                return kept, True
            kept.close()
        return _Connection(self._at, self._timeout), False

    def _keep(self, connection: _Connection, got: _http.Response) -> None:
        if not got.keeps:
            connection.close()
            return
        with self._guard:
            self._idle.append(connection)
