"""A worker: functions by the wire names of handlers, and the loop that runs them."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import socket
import threading
import uuid
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Set, TypeVar, Union

from . import _calls
from ._engine import Attempt, Engine, failure
from ._http import Tls
from .errors import Discard, GiveBack, RetryIn, Snooze
from .model import Claimed, Report
from .running import AsyncRunningTask, RunningTask, current

Function = TypeVar("Function", bound=Callable[..., Any])

_beat_at_most = 5.0


class Worker:
    """Runs tasks. Plain functions run in a thread each, coroutine functions on the loop that ``run`` or ``serve`` is called on.

    ``queues``: names, or names with weights. ``concurrency``: so many functions at a time. ``lease``: seconds after which the
    tasks of a worker that died go to another one; it is extended every ``heartbeat`` seconds, which is also how soon a
    cancellation arrives (a third of the lease, and 5 at most). ``wait``: seconds of one long poll. ``stop_grace``: so long
    functions may go on once it is to stop; what has not ended then goes back to its queue, and uses no attempt.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:7070",
        *,
        queues: Union[Sequence[str], Mapping[str, int]] = ("default",),
        token: Optional[str] = None,
        name_space: str = "default",
        name: Optional[str] = None,
        concurrency: int = 10,
        lease: float = 30.0,
        heartbeat: Optional[float] = None,
        wait: float = 20.0,
        stop_grace: float = 10.0,
        timeout: float = 10.0,
        tls: Optional[Tls] = None,
    ) -> None:
        self.name = name or f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._queues = dict(queues) if isinstance(queues, Mapping) else {one: 1 for one in queues}
        self._concurrency = concurrency
        self._lease = lease
        self._heartbeat = heartbeat if heartbeat is not None else min(lease / 3, _beat_at_most)
        self._wait = wait
        self._stop_grace = stop_grace
        self._client = dict(
            url=url, token=token, name_space=name_space, timeout=timeout, retry_for=min(self._heartbeat, 5.0), tls=tls
        )
        self._functions: Dict[str, Callable[..., Any]] = {}
        self._engine: Optional[Engine] = None
        self._asked_to_stop = False
        self._tasks: Set[asyncio.Task[None]] = set()

    # ---- functions ----

    def add(self, handler: str, function: Callable[..., Any]) -> None:
        """Tasks of the handler with this wire name are run by the function, which takes their arguments."""
        if handler in self._functions:
            raise ValueError(f'the handler "{handler}" has a function already')
        self._functions[handler] = function

    def handler(self, name: str) -> Callable[[Function], Function]:
        """As a decorator: ``@worker.handler("send_receipt")``."""

        def keep(function: Function) -> Function:
            self.add(name, function)
            return function

        return keep

    # ---- its life ----

    def run(self) -> None:
        """Runs tasks until SIGTERM, SIGINT or ``stop``; of a second signal, without waiting for functions. Raises
        ServiceError when the service refuses the first claim."""
        asyncio.run(self._run())

    async def serve(self) -> None:
        """As ``run``, on this loop and without signals. A coroutine that is cancelled stops the worker."""
        if not self._functions:
            raise ValueError("the worker has no functions: worker.add(handler, function)")
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()
        self._loop = loop
        self._engine = Engine(
            self._client,
            _calls.Wish(self.name, self._queues, tuple(self._functions), lease=self._lease, wait=self._wait),
            concurrency=self._concurrency,
            heartbeat=self._heartbeat,
            stop_grace=self._stop_grace,
            begin=self._begin,
            ended=lambda: _post(loop, ended.set),
        )
        self._engine.start()
        if self._asked_to_stop:
            self._engine.stop()
        await self._until(ended)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1)
        if self._engine.failure is not None:
            raise self._engine.failure

    def stop(self) -> None:
        """Any thread, also from signal handlers. Asked a second time, it does not wait for functions."""
        self._asked_to_stop = True
        if self._engine is not None:
            self._engine.stop()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread():
            for one in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(one, self.stop)
        await self.serve()

    async def _until(self, ended: asyncio.Event) -> None:
        try:
            await ended.wait()
        except asyncio.CancelledError:
            self.stop()
            await ended.wait()
            raise

    # ---- one task ----

    def _begin(self, attempt: Attempt) -> None:
        """On the engine's loop."""
        function = self._functions[attempt.of.handler]
        if inspect.iscoroutinefunction(function):
            _post(self._loop, lambda: self._begin_coroutine(attempt, function))
        else:
            thread = threading.Thread(
                target=self._run_function, args=(attempt, function), name=f"errand {attempt.of.id}", daemon=True
            )
            thread.start()

    def _run_function(self, attempt: Attempt, function: Callable[..., Any]) -> None:
        engine = self._engine
        assert engine is not None
        current.set(RunningTask(engine, attempt))
        report: Optional[Report] = None
        try:
            _check_args(function, attempt.of)
            report = _success(attempt.of, function(*attempt.of.args))
        except BaseException as why:
            report = _report_of(attempt.of, why)
        engine.ended(attempt, report)

    def _begin_coroutine(self, attempt: Attempt, function: Callable[..., Any]) -> None:
        task = asyncio.ensure_future(self._run_coroutine(attempt, function))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        attempt.when_gone = lambda: _post(self._loop, task.cancel)
        if attempt.gone.is_set():
            task.cancel()

    async def _run_coroutine(self, attempt: Attempt, function: Callable[..., Any]) -> None:
        engine = self._engine
        assert engine is not None
        current.set(AsyncRunningTask(engine, attempt))
        report: Optional[Report] = None
        try:
            _check_args(function, attempt.of)
            report = _success(attempt.of, await function(*attempt.of.args))
        except BaseException as why:
            report = _report_of(attempt.of, why)
        engine.ended(attempt, report)


def _post(loop: asyncio.AbstractEventLoop, what: Callable[[], Any]) -> None:
    try:
        loop.call_soon_threadsafe(what)
    except RuntimeError:
        pass  # that loop has ended


def _check_args(function: Callable[..., Any], of: Claimed) -> None:
    try:
        signature = inspect.signature(function)
    except ValueError:
        return  # of a built-in function, which says it by itself
    try:
        signature.bind(*of.args)
    except TypeError as why:
        raise Discard(f"args: {why}") from None


def _success(of: Claimed, result: Any) -> Report:
    return Report(of.id, of.claim, "success", result)


def _report_of(of: Claimed, why: BaseException) -> Report:
    if isinstance(why, Snooze):
        return Report(of.id, of.claim, "snooze", delay=why.seconds)
    if isinstance(why, GiveBack):
        return Report(of.id, of.claim, "give_back")
    if isinstance(why, Discard):
        given = failure(of, _name_of(why.__cause__ or why), str(why))
        return Report(of.id, of.claim, "discard", None, given.error_type, given.error_message)
    if isinstance(why, RetryIn):
        return failure(of, _name_of(why.__cause__ or why), str(why), why.seconds)
    return failure(of, _name_of(why), str(why) or repr(why))


def _name_of(why: BaseException) -> str:
    kind = type(why)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
