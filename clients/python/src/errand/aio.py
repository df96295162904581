"""The client for programs on an event loop of asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import socket
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
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @staticmethod
    async def open(at: _http.Address) -> _Connection:
        if at.path:
            name = at.name if at.tls else None
            return _Connection(*await asyncio.open_unix_connection(at.path, ssl=at.tls, server_hostname=name))
        reader, writer = await asyncio.open_connection(at.name, at.port, ssl=at.tls)
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _Connection(reader, writer)

    async def exchange(self, request: bytes) -> _http.Response:
        self.writer.write(request)
        await self.writer.drain()
        reader = _http.read_response()
        wanted = next(reader)
        while True:
            try:
                wanted = reader.send(await self._read(wanted))
            except StopIteration as end:
                response: _http.Response = end.value
                return response

    async def _read(self, wanted: int) -> bytes:
        if wanted == _http.LINE:
            return await self.reader.readline()
        if wanted == _http.REST:
            return await self.reader.read()
        try:
            return await self.reader.readexactly(wanted)
        except asyncio.IncompleteReadError as why:
            return why.partial

    def is_fresh(self) -> bool:
        """Nothing has come since the last answer: what comes unasked is the end."""
        return not self.reader.at_eof() and not self.writer.is_closing()

    def say_no_more(self) -> None:
        """The service takes that for a client that has hung up; what it has sent still arrives."""
        if self.writer.can_write_eof():
            self.writer.write_eof()
        else:
            # By TLS there is no half of an end: the line below it has one.
            with contextlib.suppress(OSError):
                self.writer.get_extra_info("socket").shutdown(socket.SHUT_WR)

    def close(self) -> None:
        if self.writer.can_write_eof():
            self.writer.close()
        else:
            # By TLS an end would wait for the service's word, and nobody for that.
            self.writer.transport.abort()


class Line:
    """The connection of a call that is under way."""

    connection: Optional[_Connection] = None

    def say_no_more(self) -> None:
        if self.connection is not None:
            self.connection.say_no_more()


class AsyncTask(Generic[T]):
    """A task that was submitted."""

    def __init__(self, client: AsyncClient, id: str, created: bool) -> None:
        self._client = client
        self.id = id
        self.created = created
        """False: it was there already, by its biz_id or key."""

    def __repr__(self) -> str:
        return f"<errand task {self.id}>"

    async def result(self, timeout: Optional[float] = None) -> Any:
        """See AsyncClient.result."""
        return await self._client.result(self.id, timeout)

    async def info(self) -> TaskInfo:
        return await self._client.info(self.id)

    async def cancel(self) -> str:
        return await self._client.cancel(self.id)


class AsyncClient:
    """The tasks of one namespace, for the tasks of one event loop. As Client in all else."""

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

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], why: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes what is not in use."""
        idle, self._idle = self._idle, []
        for one in idle:
            one.close()

    # ---- submitting ----

    async def submit(
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
    ) -> AsyncTask[Any]:
        """Submits a task for the handler of this wire name. ``key``: of equal ones one counts, also from another process,
        for as long as the task is kept; without one and without a biz_id the client makes one up for its own retries."""
        one = Submission(
            handler, args, biz_id, queue, delay, at, priority, timeout, max_retry, expires_after, retention, after,
            on_failed_dependency, on_duplicate, headers or {}, tags,
        )  # fmt: skip
        done = await self._ask(_calls.submit(one, key))
        return AsyncTask(self, done.id, done.created)

    async def submit_many(
        self, tasks: Sequence[Submission], *, key: Optional[str] = None
    ) -> List[Union[AsyncTask[Any], ServiceError]]:
        """Submits many in few calls. In order, the task of each, or why it was refused: a bad one does not stop others."""
        all: List[Any] = [None] * len(tasks)
        for part in _calls.submit_many(tasks, key):
            results = await self._ask(part.call)
            for place, done in zip(part.places, results):
                all[place] = done if isinstance(done, ServiceError) else AsyncTask(self, done.id, done.created)
        return all

    # ---- waiting and looking ----

    async def result(self, id: str, timeout: Optional[float] = None) -> Any:
        """The result of the task, once it has ended: waits for it by long polls, ``timeout`` seconds at most. Raises TaskFailed,
        TaskCancelled, TaskExpired or ResultTimeout."""
        return _calls.result_of(await self.wait(id, timeout))

    async def wait(self, id: str, timeout: Optional[float] = None) -> TaskInfo:
        """The task once it has ended, however. Raises ResultTimeout."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _calls.longest_wait if end is None else min(end - time.monotonic(), _calls.longest_wait)
            task = await self._ask(_calls.info(id, max(left, 0)))
            if task.has_ended:
                return task
            if end is not None and time.monotonic() >= end:
                raise ResultTimeout(f"the task {id} is {task.state}, and has not ended within {timeout} s")

    async def info(self, id: str) -> TaskInfo:
        """The task as it is. Raises NotFound."""
        return await self._ask(_calls.info(id))

    async def find(self, handler: str, biz_id: str) -> Optional[TaskInfo]:
        """The task of this biz_id, or None."""
        return await self._ask(_calls.found(handler, biz_id))

    async def tasks(
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
        return await self._ask(
            _calls.listed(
                dict(
                    state=state, queue=queue, handler=handler, biz_id=biz_id, tag=tag, error=error, limit=limit,
                    cursor=cursor, order=order,
                )  # fmt: skip
            )
        )

    async def queues(self) -> List[Dict[str, Any]]:
        """As ``errand queues --json`` prints them."""
        return await self._ask(_calls.queues())

    async def workers(self) -> List[Dict[str, Any]]:
        """As ``errand workers --json`` prints them."""
        return await self._ask(_calls.workers())

    # ---- changing ----

    async def cancel(self, id: str) -> str:
        """Ends a task that has not ended; a running one is told. Returns its state now."""
        return await self._ask(_calls.cancel(id))

    async def revive(self, id: str) -> str:
        """Starts a dead, cancelled or expired task again. Returns its state now."""
        return await self._ask(_calls.revive(id))

    async def reschedule(self, id: str, *, delay: Optional[Seconds] = None, at: Optional[datetime] = None) -> TaskInfo:
        """Gives a task that does not run another due time."""
        return await self._ask(_calls.reschedule(id, delay, at))

    async def change(
        self,
        id: str,
        *,
        args: Optional[Sequence[Any]] = None,
        priority: Optional[int] = None,
        delay: Optional[Seconds] = None,
        at: Optional[datetime] = None,
    ) -> TaskInfo:
        """Gives a task that has never started other arguments, another priority or due time."""
        return await self._ask(_calls.change(id, args, priority, delay, at))

    # ---- working: what Worker is made of ----

    async def claim(
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
        return await self._ask(_calls.claim(_calls.Wish(worker, queues, handlers, limit, lease, wait)))

    async def report(self, reports: Sequence[Report]) -> List[Union[str, ServiceError]]:
        """Says what became of tasks. In order, the state of each, or why the report was refused."""
        all: List[Any] = [None] * len(reports)
        for part in _calls.report_parts(reports):
            results = await self._ask(part.call)
            for place, done in zip(part.places, results):
                all[place] = done
        return all

    async def extend(
        self, held: Sequence[Tuple[str, str]], lease: Optional[Seconds] = None
    ) -> List[Optional[ServiceError]]:
        """Keeps tasks, by id and claim, for a lease more. In order, None or why one is not kept."""
        all: List[Optional[ServiceError]] = []
        for at in range(0, len(held), _calls.most_items):
            some = await self._ask(_calls.extend(held[at : at + _calls.most_items], lease))
            all += some
        return all

    # ---- asking ----

    async def _ask(self, call: _calls.Call[T], line: Optional[Line] = None) -> T:
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
                connection, used = await self._take()
                try:
                    sent = True
                    got = await self._exchange(connection, request, call.wait, line)
                except (OSError, asyncio.TimeoutError):
                    # One that was kept may have been closed meanwhile: that is no reason to pause.
                    if not used or not call.safe:
                        raise
                    connection = await self._open()
                    got = await self._exchange(connection, request, call.wait, line)
            except (OSError, asyncio.TimeoutError) as why:
                pause = patience.after_failure(sent)
                if pause is None:
                    raise ConnectionFailed(f"{call.method} {call.path}: {why or type(why).__name__}", sent) from why
                await asyncio.sleep(pause)
                continue
            self._keep(connection, got)
            pause = patience.after_answer(got)
            if pause is None:
                document = _calls.answer_of(got)
                pause = patience.after_item() if _calls.has_unstored_item(document) else None
                if pause is None:
                    return call.read(document)
            await asyncio.sleep(pause)

    async def _exchange(
        self, connection: _Connection, request: bytes, wait: float, line: Optional[Line]
    ) -> _http.Response:
        if line is not None:
            line.connection = connection
        try:
            return await asyncio.wait_for(connection.exchange(request), self._timeout + wait)
        except BaseException:
            connection.close()
            raise
        finally:
            if line is not None:
                line.connection = None

    async def _open(self) -> _Connection:
        return await asyncio.wait_for(_Connection.open(self._at), self._timeout)

    async def _take(self) -> Tuple[_Connection, bool]:
        while self._idle:
            kept = self._idle.pop()
            if kept.is_fresh():
                return kept, True
            kept.close()
        return await self._open(), False

    def _keep(self, connection: _Connection, got: _http.Response) -> None:
        if got.keeps:
            self._idle.append(connection)
        else:
            connection.close()
