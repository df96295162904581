"""Programs that submit tasks and run them over HTTP, each on lines that are cut."""

from __future__ import annotations

import random
import sys
import threading
import time
from pathlib import Path
from typing import Callable, List, Optional

from journal import Journal, Run

sys.path.insert(0, str(Path(__file__).parents[2] / "clients" / "python" / "src"))

import errand  # noqa: E402

Connect = Callable[[], "errand.Client"]
LEASE = 2.0
HANDLER = "carry"
QUEUE = "load"


class Crowd:
    """Threads that go on until they are told to stop. A thread that fails ends the trial.

    `keys_forgotten`: a broken producer, which repeats a submission as another one.
    """

    def __init__(self, connect: Connect, journal: Journal, seed: int, keys_forgotten: bool = False) -> None:
        self._keys_forgotten = keys_forgotten
        self._connect = connect
        self._journal = journal
        self._seed = seed
        self._submitting = True
        self._running = True
        self._producers: List[threading.Thread] = []
        self._workers: List[threading.Thread] = []
        self.failure: Optional[BaseException] = None

    def start(self, producers: int, workers: int) -> None:
        for n in range(producers):
            self._producers.append(self._thread(self._produce, f"p{n}", random.Random(f"{self._seed} p{n}")))
        for n in range(workers):
            self._workers.append(self._thread(self._work, f"w{n}", random.Random(f"{self._seed} w{n}")))

    def submit_no_more(self) -> None:
        """What was begun is repeated until it is answered."""
        self._submitting = False
        for one in self._producers:
            one.join()

    def stop(self) -> None:
        self._running = False
        for one in self._workers:
            one.join()

    def _thread(self, run: Callable[[str, random.Random], None], name: str, chance: random.Random) -> threading.Thread:
        def safely() -> None:
            try:
                run(name, chance)
            except BaseException as why:
                self.failure = self.failure or why

        one = threading.Thread(target=safely, name=name)
        one.start()
        return one

    def _produce(self, name: str, chance: random.Random) -> None:
        client = self._connect()
        n = 0
        while self._submitting:
            keys = [f"{name}-{n + i}" for i in range(chance.choice((1, 1, 1, 8)))]
            n += len(keys)
            for key in keys:
                self._journal.want(key)
            self._submit(client, keys)
            time.sleep(chance.uniform(0, 0.04))
        client.close()

    def _submit(self, client: errand.Client, keys: List[str]) -> None:
        again = 0
        while True:
            name = f"{keys[0]}.{again}"
            try:
                if len(keys) == 1:
                    one = client.submit(HANDLER, keys[0], key=name, queue=QUEUE, max_retry=1000)
                    return self._journal.took(keys[0], one.id)
                tasks = [errand.Submission(HANDLER, [key], queue=QUEUE, max_retry=1000) for key in keys]
                done = client.submit_many(tasks, key=name)
                for key, task in zip(keys, done):
                    if isinstance(task, errand.ServiceError):
                        raise task
                    self._journal.took(key, task.id)
                return
            except (errand.ConnectionFailed, errand.Unavailable):
                time.sleep(0.05)
                again += self._keys_forgotten

    def _work(self, name: str, chance: random.Random) -> None:
        client = self._connect()
        while self._running:
            try:
                tasks = client.claim(name, {QUEUE: 1}, limit=chance.randint(1, 6), lease=LEASE, wait=1.0)
            except (errand.ConnectionFailed, errand.Unavailable):
                time.sleep(0.02)
                continue
            runs = [_run_of(task) for task in tasks]
            for run in runs:
                self._journal.began(run)
            self._end(client, runs, chance)
        client.close()

    def _end(self, client: errand.Client, runs: List[Run], chance: random.Random) -> None:
        if chance.random() < 0.03:
            return  # as if it had died
        time.sleep(chance.uniform(0, 0.03) if chance.random() < 0.98 else LEASE * 1.3)
        reports: List[errand.Report] = []
        for run in runs:
            outcome = chance.choices(("success", "failure", "snooze", "give_back"), (84, 8, 4, 4))[0]
            reports.append(_report_of(run, outcome))
            run.said = outcome
        # Until it is answered: whether it counts is known then alone.
        while True:
            try:
                answers = client.report(reports)
                break
            except (errand.ConnectionFailed, errand.Unavailable):
                time.sleep(0.05)
        for run, answer in zip(runs, answers):
            if isinstance(answer, errand.ServiceError) and not isinstance(answer, errand.ClaimLost):
                raise answer
            run.accepted = isinstance(answer, str)


def _run_of(task: errand.Claimed) -> Run:
    assert task.started_at is not None and task.lease_until is not None
    return Run(task.args[0], task.id, task.claim, task.attempt, task.fence, task.started_at, task.lease_until)


def _report_of(run: Run, outcome: str) -> errand.Report:
    if outcome == "success":
        return errand.Report(run.id, run.claim, outcome, result=run.claim)
    if outcome == "failure":
        return errand.Report(run.id, run.claim, outcome, error_type="Trial", error_message="as it comes", delay=0.05)
    return errand.Report(run.id, run.claim, outcome, delay=0.05 if outcome == "snooze" else None)
