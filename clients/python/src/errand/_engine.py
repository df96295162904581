"""What a worker does beside its functions: takes tasks, keeps their leases, hands in reports. It runs on a loop in a thread of
its own, so that no function keeps it from that."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import random
import threading
from typing import Any, Callable, Coroutine, Dict, List, Optional, Tuple, TypeVar

from . import _calls, _json
from .aio import AsyncClient, Line
from .errors import BadRequest, BadValue, Error, NotAllowed, NotFound, ServiceError, Unavailable
from .model import Claimed, Report

T = TypeVar("T")

log = logging.getLogger("errand")

_longest_pause = 5.0
_to_take_leave = 5.0


class Attempt:
    """One task that is run here, from its claim until its report was answered."""

    def __init__(self, of: Claimed) -> None:
        self.of = of
        self.closed = False
        """How it ends is said, or is no longer this worker's to say."""
        self.gone = threading.Event()
        """The function's end does not count any more."""
        self.why_gone = ""
        self.when_gone: Callable[[], None] = lambda: None
        """Called on the engine's loop."""
        self.timer: Optional[asyncio.TimerHandle] = None

    @property
    def key(self) -> Tuple[str, str]:
        return (self.of.id, self.of.claim)

    def let_go(self, why: str) -> None:
        self.closed = True
        self.why_gone = why
        self.gone.set()
        self.when_gone()


class Engine:
    """`begin` is called on the engine's loop with what was taken. What is marked so may be called from any thread."""

    def __init__(
        self,
        client: Dict[str, Any],
        wish: _calls.Wish,
        *,
        concurrency: int,
        heartbeat: float,
        stop_grace: float,
        begin: Callable[[Attempt], None],
        ended: Callable[[], None],
    ) -> None:
        self._client_options = client
        self._wish = wish
        self._concurrency = concurrency
        self._heartbeat = heartbeat
        self._stop_grace = stop_grace
        self._begin = begin
        self._ended = ended
        self.failure: Optional[BaseException] = None
        self._held: Dict[Tuple[str, str], Attempt] = {}
        self._busy = 0  # functions that run, also those that do not count
        self._reports: List[Tuple[Attempt, str]] = []
        self._line = Line()
        self._thread = threading.Thread(target=self._run, name="errand engine", daemon=True)
        self._loop = asyncio.new_event_loop()
        self._asked_to_stop = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Any thread. Takes nothing more, and ends; asked a second time, without waiting for functions."""
        self._post(self._stop)

    def ended(self, attempt: Attempt, report: Optional[Report]) -> None:
        """Any thread. The function has ended; None: as one that does not count."""
        self._post(lambda: self._function_ended(attempt, report))

    def ask(self, what: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Any thread but the engine's own."""
        return asyncio.run_coroutine_threadsafe(what, self._loop)

    async def say(self, attempt: Attempt, call: _calls.Call[T]) -> T:
        """Of an attempt that runs. Raises ServiceError; one that is lost is let go."""
        try:
            return await self._client._ask(call)
        except ServiceError as why:
            if why.code in ("claim_lost", "not_found"):
                self._lose(attempt, why)
            raise

    # ---- its life ----

    def _post(self, what: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(what)
        except RuntimeError:
            pass  # it has ended, and nobody is to hear of it

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as why:
            self.failure = self.failure or why
        finally:
            self._loop.close()
            self._ended()

    async def _serve(self) -> None:
        self._changed: List[asyncio.Event] = []  # of those who wait
        self._has_reports = asyncio.Event()
        self._client = AsyncClient(**self._client_options)
        claims = asyncio.ensure_future(self._claim_tasks())
        duties = [asyncio.ensure_future(self._hand_in()), asyncio.ensure_future(self._keep_leases())]
        claims.add_done_callback(lambda _: self._changed_now())
        await self._until(lambda: self._asked_to_stop > 0 or claims.done(), None)
        await self._end_claims(claims)
        await self._until(lambda: self._asked_to_stop > 1 or self._all_closed(), self._stop_grace)
        self._give_back_all()
        await self._until(lambda: not self._held, _to_take_leave)
        for one in duties:
            one.cancel()
        await asyncio.gather(*duties, return_exceptions=True)
        if self._held:
            log.warning("%d tasks were not handed in: they come back when their leases end", len(self._held))
        self._client.close()
        if not claims.cancelled() and claims.exception():
            self.failure = claims.exception()

    def _stop(self) -> None:
        self._asked_to_stop += 1
        self._changed_now()

    def _changed_now(self) -> None:
        for one in self._changed:
            one.set()

    async def _until(self, reached: Callable[[], bool], within: Optional[float]) -> None:
        end = None if within is None else self._loop.time() + within
        changed = asyncio.Event()
        self._changed.append(changed)
        try:
            while not reached():
                changed.clear()
                await asyncio.wait_for(changed.wait(), None if end is None else end - self._loop.time())
        except asyncio.TimeoutError:
            pass
        finally:
            self._changed.remove(changed)

    async def _end_claims(self, claims: asyncio.Future[None]) -> None:
        # The service takes back what it has not sent; what it has sent is given back below.
        self._line.say_no_more()
        await asyncio.wait([claims], timeout=2)
        claims.cancel()
        await asyncio.gather(claims, return_exceptions=True)

    def _all_closed(self) -> bool:
        return all(one.closed for one in self._held.values())

    def _give_back_all(self) -> None:
        for one in list(self._held.values()):
            if not one.closed:
                self._close(one, Report(one.of.id, one.of.claim, "give_back"))
                one.let_go("the worker stops")

    # ---- taking ----

    async def _claim_tasks(self) -> None:
        pause = 0.0
        proven = False
        while not self._asked_to_stop:
            if pause:
                await asyncio.sleep(pause)
            free = self._concurrency - self._busy
            if free <= 0:
                await self._until(lambda: self._busy < self._concurrency or self._asked_to_stop > 0, None)
                continue
            try:
                await self._claim_some(free)
                pause = 0.0
                proven = True
            except (BadRequest, NotAllowed, NotFound) as why:
                if not proven:
                    raise
                pause = self._next_pause(pause, why)
            except (Error, OSError) as why:
                if not self._asked_to_stop:
                    pause = self._next_pause(pause, why)

    def _next_pause(self, last: float, why: BaseException) -> float:
        if not last:
            log.warning("no tasks can be taken: %s", why)
        return min(max(last * 2, 0.1), _longest_pause) * (0.75 + random.random() / 4)

    async def _claim_some(self, most: int) -> None:
        wish = self._wish
        wish = _calls.Wish(
            wish.worker, wish.queues, wish.handlers, min(most, _calls.most_items), wish.lease, wish.wait
        )
        for one in await self._client._ask(_calls.claim(wish), self._line):
            self._take(Attempt(one))

    def _take(self, attempt: Attempt) -> None:
        self._held[attempt.key] = attempt
        self._busy += 1
        if attempt.of.timeout:
            attempt.timer = self._loop.call_later(attempt.of.timeout, self._time_out, attempt)
        self._begin(attempt)

    # ---- ends ----

    def _function_ended(self, attempt: Attempt, report: Optional[Report]) -> None:
        self._busy -= 1
        if report is not None and not attempt.closed:
            self._close(attempt, report)
        self._changed_now()

    def _time_out(self, attempt: Attempt) -> None:
        if attempt.closed:
            return
        seconds = attempt.of.timeout
        why = f"it has not ended within {seconds:g} s"
        self._close(attempt, failure(attempt.of, "errand::timed_out", why))
        attempt.let_go(why)

    def _lose(self, attempt: Attempt, why: ServiceError) -> None:
        self._forget(attempt)
        if not attempt.closed:
            log.info("task %s: %s", attempt.of.id, why.message)
            attempt.let_go(why.message)

    def _forget(self, attempt: Attempt) -> None:
        if attempt.timer is not None:
            attempt.timer.cancel()
        if self._held.get(attempt.key) is attempt:
            del self._held[attempt.key]
        self._changed_now()

    def _close(self, attempt: Attempt, report: Report) -> None:
        attempt.closed = True
        try:
            text = _json.text_of(report.to_json())
        except BadValue as why:
            text = _json.text_of(failure(attempt.of, "errand.BadValue", str(why)).to_json())
        self._reports.append((attempt, text))
        self._has_reports.set()

    # ---- handing in ----

    async def _hand_in(self) -> None:
        pause = 0.0
        while True:
            await self._has_reports.wait()
            await asyncio.sleep(pause)
            batch = self._next_batch()
            unsent = await self._send(batch)
            pause = min(max(pause * 2, 0.1), 1.0) if unsent else 0.0
            self._reports = unsent + self._reports
            if not self._reports:
                self._has_reports.clear()

    def _next_batch(self) -> List[Tuple[Attempt, str]]:
        size, count = 0, 0
        for _, text in self._reports[: _calls.most_items]:
            size += len(text) * 3
            if count and size > _calls.most_bytes:
                break
            count += 1
        batch, self._reports = self._reports[:count], self._reports[count:]
        return batch

    async def _send(self, batch: List[Tuple[Attempt, str]]) -> List[Tuple[Attempt, str]]:
        """Those that are to be sent again."""
        try:
            results = await self._client._ask(_calls.report([text for _, text in batch]))
        except BadRequest as why:
            if len(batch) == 1:
                return self._refused(batch[0], why)
            again: List[Tuple[Attempt, str]] = []
            for one in batch:
                again += await self._send([one])
            return again
        except (Error, OSError) as why:
            log.warning("%d reports are sent again: %s", len(batch), why)
            return batch
        again = []
        for one, result in zip(batch, results):
            if isinstance(result, (BadRequest, Unavailable)):
                again += self._refused(one, result)
                continue
            if isinstance(result, ServiceError):
                log.info("task %s: %s", one[0].of.id, result.message)
            self._forget(one[0])
        return again

    def _refused(self, one: Tuple[Attempt, str], why: ServiceError) -> List[Tuple[Attempt, str]]:
        attempt, text = one
        if isinstance(why, Unavailable):
            return [one]
        instead = _json.text_of(failure(attempt.of, "errand.BadRequest", str(why)).to_json())
        if instead != text:
            return [(attempt, instead)]
        log.error("task %s: the service does not take its report: %s", attempt.of.id, why)
        self._forget(attempt)
        return []

    # ---- leases ----

    async def _keep_leases(self) -> None:
        while True:
            await asyncio.sleep(self._heartbeat)
            held = list(self._held.values())
            for at in range(0, len(held), _calls.most_items):
                await self._keep(held[at : at + _calls.most_items])

    async def _keep(self, held: List[Attempt]) -> None:
        try:
            results = await self._client._ask(_calls.extend([one.key for one in held], self._wish.lease))
        except (Error, OSError) as why:
            log.warning("the leases of %d tasks were not extended: %s", len(held), why)
            return
        for attempt, refused in zip(held, results):
            # Who has said how it ends hears from the answer to that.
            if refused is not None and refused.code in ("claim_lost", "not_found") and not attempt.closed:
                self._lose(attempt, refused)


def failure(of: Claimed, kind: str, message: str, delay: Optional[float] = None) -> Report:
    return Report(of.id, of.claim, "failure", None, _plain(kind, 200), _plain(message, 4000), delay)


def _plain(text: str, most: int) -> str:
    """What an exception says may be no text at all."""
    return text[:most].encode("utf-8", "replace").decode("utf-8")
