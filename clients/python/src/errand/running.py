"""The task that a function runs, as the function sees it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import time
from typing import Any, Awaitable, Callable, Dict, Optional, TypeVar

from . import _calls
from ._engine import Attempt, Engine, log
from .errors import Cancelled, Error, ServiceError
from .model import Claimed

T = TypeVar("T")


class _Running:
    def __init__(self, engine: Engine, attempt: Attempt) -> None:
        self._engine = engine
        self._attempt = attempt
        self._stages: Optional[Dict[str, Any]] = None
        self.info: Claimed = attempt.of
        """Its id, attempt, headers and so on."""

    @property
    def cancelled(self) -> bool:
        """The task was cancelled, its time is over, its lease was lost, or the worker ends: what comes does not count."""
        return self._attempt.gone.is_set()

    def check(self) -> None:
        """Raises Cancelled when it is."""
        if self.cancelled:
            raise Cancelled(self._attempt.why_gone)

    def _call(self, call: _calls.Call[T]) -> concurrent.futures.Future[T]:
        self.check()
        return self._engine.ask(self._engine.say(self._attempt, call))

    def _progress(self, done: float, text: str) -> concurrent.futures.Future[None]:
        return self._call(_calls.progress(self.info.id, self.info.claim, done, text))

    def _log(self, *lines: str) -> concurrent.futures.Future[None]:
        return self._call(_calls.log(self.info.id, self.info.claim, lines))

    def _kept(self) -> concurrent.futures.Future[Dict[str, Any]]:
        return self._call(_calls.stages(self.info.id, self.info.claim))

    def _keep(self, name: str, result: Any, began: float) -> concurrent.futures.Future[Any]:
        length = time.monotonic() - began
        return self._call(_calls.stage(self.info.id, self.info.claim, name, result, length))

    def _lost(self, why: ServiceError) -> Exception:
        return Cancelled(self._attempt.why_gone) if self.cancelled else why

    def _not_said(self, why: Error) -> None:
        """What is only to be shown is no reason to fail."""
        self.check()
        log.warning("task %s: its progress or log line is not kept: %s", self.info.id, why)


class RunningTask(_Running):
    """For plain functions: ``errand.this_task()``. Calls raise Cancelled once the task is not this worker's any more."""

    def progress(self, done: float, text: str = "") -> None:
        """Says how far it is, from 0 to 1."""
        try:
            self._progress(done, text).result()
        except Error as why:
            self._not_said(why)

    def log(self, *lines: str) -> None:
        """Keeps lines with the task; the latest 100 are kept."""
        try:
            self._log(*lines).result()
        except Error as why:
            self._not_said(why)

    def stage(self, name: str, what: Callable[..., Any], *args: Any) -> Any:
        """What `what(*args)` returns, as JSON: called once, and in a later attempt answered by what was kept."""
        try:
            if self._stages is None:
                self._stages = self._kept().result()
            if name not in self._stages:
                began = time.monotonic()
                self._stages[name] = self._keep(name, what(*args), began).result()
            return self._stages[name]
        except ServiceError as why:
            raise self._lost(why) from why

    def sleep(self, seconds: float) -> None:
        """As time.sleep, but raises Cancelled at once when the task is."""
        self._attempt.gone.wait(seconds)
        self.check()


class AsyncRunningTask(_Running):
    """For coroutine functions: ``errand.this_async_task()``. They are cancelled, as tasks of asyncio are, once the task is not
    this worker's any more."""

    async def progress(self, done: float, text: str = "") -> None:
        """Says how far it is, from 0 to 1."""
        try:
            await asyncio.wrap_future(self._progress(done, text))
        except Error as why:
            self._not_said(why)

    async def log(self, *lines: str) -> None:
        """Keeps lines with the task; the latest 100 are kept."""
        try:
            await asyncio.wrap_future(self._log(*lines))
        except Error as why:
            self._not_said(why)

    async def stage(self, name: str, what: Callable[..., Awaitable[Any]], *args: Any) -> Any:
        """What `await what(*args)` returns, as JSON: called once, and in a later attempt answered by what was kept."""
        try:
            if self._stages is None:
                kept = await asyncio.wrap_future(self._kept())
                self._stages = kept
            if name not in self._stages:
                began = time.monotonic()
                result = await what(*args)
                self._stages[name] = await asyncio.wrap_future(self._keep(name, result, began))
            return self._stages[name]
        except ServiceError as why:
            raise self._lost(why) from why


current: contextvars.ContextVar[Optional[_Running]] = contextvars.ContextVar("errand_task", default=None)


def this_task() -> RunningTask:
    """The task that this function runs. Raises RuntimeError outside of one, and in a coroutine function."""
    task = current.get()
    if not isinstance(task, RunningTask):
        raise RuntimeError("no plain function of a worker runs here; coroutine functions call this_async_task()")
    return task


def this_async_task() -> AsyncRunningTask:
    """The task that this coroutine function runs. Raises RuntimeError outside of one."""
    task = current.get()
    if not isinstance(task, AsyncRunningTask):
        raise RuntimeError("no coroutine function of a worker runs here; plain functions call this_task()")
    return task
