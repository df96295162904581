"""Producers and workers over HTTP while services are killed and lines are cut, and a verdict on what became of each task.

The last line is JSON; the exit code is 1 when anything was lost, accepted twice or contradicts the rules. The store is the one that
ERRAND_STORE names.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import time
import urllib.request
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Dict, List

import gate
from crowd import HANDLER, QUEUE, Crowd, errand
from gate import Gate
from hang_up import HangUps
from journal import Ended, Journal, judge
from servers import Server

PATIENCE = 60.0
"""Seconds in which everything is done, once nothing fails any more."""


class Trial:
    def __init__(self, program: str, seed: int, broken: bool) -> None:
        self.chance = random.Random(seed)
        self.name_space = "http" + uuid.uuid4().hex[:12]
        self.servers = [Server(program, self.name_space) for _ in range(2)]
        self.gates = [Gate(one.port, random.Random(f"{seed} gate {n}")) for n, one in enumerate(self.servers)]
        self.journal = Journal()
        self.faults: Counter[str] = Counter()
        self.crowd = Crowd(self._connect, self.journal, seed, broken)
        self._retry_for = 0.0 if broken else 5.0
        self.straight = errand.Client(self.servers[0].url, name_space=self.name_space, timeout=30)
        self.hang_ups = HangUps(self.servers[0].port, self.straight, self.name_space, self.chance)
        self._next_gate = 0

    def _connect(self) -> errand.Client:
        self._next_gate += 1
        url = self.gates[self._next_gate % len(self.gates)].url
        # As long as no answer may take, so that one that never comes does not hold up the trial.
        return errand.Client(url, name_space=self.name_space, timeout=5, retry_for=self._retry_for)

    def hurry(self) -> None:
        """Retries come soon: what is lost is not to be told from what waits long."""
        request = urllib.request.Request(
            f"{self.servers[0].url}/v1/{self.name_space}/handlers/{HANDLER}/settings",
            data=b'{"backoff": "uniform:100ms"}',
            headers={"Content-Type": "application/json"},
            method="PUT",
        )
        with urllib.request.urlopen(request, timeout=30):
            pass

    # ---- faults ----

    def end_server(self, how: signal.Signals) -> None:
        one = self.chance.choice(self.servers)
        one.end(how)
        time.sleep(self.chance.uniform(0, 0.5))
        one.start()

    def cut_lines(self) -> None:
        for one in self.gates:
            one.cut_all()

    def line(self, kind: str) -> None:
        self.chance.choice(self.gates).strike(kind, self.chance.randint(1, 6))
        time.sleep(self.chance.uniform(0, 0.1))

    def hang_up(self) -> None:
        self.servers[0].until_ready()
        self.hang_ups.strike()

    def deck(self) -> Dict[str, Callable[[], None]]:
        all: Dict[str, Callable[[], None]] = {
            "server_killed": lambda: self.end_server(signal.SIGKILL),
            "server_stopped": lambda: self.end_server(signal.SIGTERM),
            "lines_cut": self.cut_lines,
            "hang_up": self.hang_up,
        }
        for kind in gate.kinds:
            all[kind] = lambda kind=kind: self.line(kind)  # type: ignore[misc]
        return all

    # ---- the run ----

    def burn(self, seconds: float) -> None:
        deck = self.deck()
        end = time.monotonic() + seconds
        self.crowd.start(producers=4, workers=6)
        names: List[str] = []
        while time.monotonic() < end and not self.crowd.failure:
            if not names:
                names = list(deck)
                self.chance.shuffle(names)
            name = names.pop()
            deck[name]()
            self.faults[name] += 1
            time.sleep(self.chance.uniform(0.02, 0.25))

    def settle(self) -> Dict[str, Ended]:
        """Once nothing fails any more: every task, as it has ended or not."""
        for one in self.gates:
            one.calm()
        self.crowd.submit_no_more()
        # A slow machine has a long way to go; what is lost is where it goes no further.
        left = self._left()
        end = time.monotonic() + PATIENCE
        while left > 0 and time.monotonic() < end and not self.crowd.failure:
            time.sleep(0.1)
            before, left = left, self._left()
            if left < before:
                end = time.monotonic() + PATIENCE
        self.crowd.stop()
        ids = {id for some in self.journal.wanted.values() for id in some} | {run.id for run in self.journal.runs}
        with ThreadPoolExecutor(8) as pool:
            infos = pool.map(self.straight.info, ids)
            ended = {one.id: Ended(one.state, one.result) for one in infos if _tell(one)}
            return ended

    def _left(self) -> int:
        counts = [one for one in self.straight.queues() if one["name"] == QUEUE]
        return sum(one["tasks"][state] for one in counts for state in ("ready", "working", "retry", "delayed"))

    def close(self) -> None:
        self.straight.close()
        for gate_ in self.gates:
            gate_.close()
        for one in self.servers:
            one.end(signal.SIGTERM)

    def verdict(self, ended: Dict[str, Ended]) -> Dict[str, object]:
        found = judge(self.journal, ended)
        hang_ups = self.hang_ups
        found += Counter(
            {
                "attempt_used_by_hang_up": hang_ups.attempts_used,
                "late_after_hang_up": hang_ups.late,
                "not_given_after_hang_up": hang_ups.not_given,
            }
        )
        struck = sum((one.struck for one in self.gates), Counter())
        # A trial in which nothing fails shows nothing.
        found["nothing_failed"] = sum(1 for kind in gate.kinds if struck[kind] == 0)
        found["nothing_failed"] += sum(1 for kind in ("server_killed", "hang_up") if self.faults[kind] == 0)
        found = +found
        lost, twice = found.pop("lost", 0), found.pop("accepted_twice", 0)
        violated = {**({"lost": lost} if lost else {}), **({"accepted_twice": twice} if twice else {}), **found}
        return {
            "tasks": len(self.journal.wanted),
            "runs": len(self.journal.runs),
            "faults": {**{name: n for name, n in self.faults.items() if name not in struck}, **struck},
            "slowest_after_hang_up_ms": round(1000 * max(hang_ups.took, default=0.0)),
            "hang_ups_unjudged": hang_ups.unjudged,
            "lost": lost,
            "accepted_twice": twice,
            "violations": sum(found.values()),
            "violated": violated,
        }


def _tell(one: errand.TaskInfo) -> bool:
    """On standard error, what is to be looked at."""
    if one.state != "success":
        print(f"trial: {one}", file=sys.stderr)
    return True


def main() -> int:
    line = argparse.ArgumentParser(description=__doc__)
    line.add_argument("--program", required=True, help="errand, as it was built")
    line.add_argument("--seconds", type=float, default=60)
    line.add_argument("--seed", type=int, default=None)
    line.add_argument("--untimed", action="store_true", help="how soon another has a task is not judged")
    line.add_argument("--broken", action="store_true", help="producers that repeat a submission as another one")
    given = line.parse_args()
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}", file=sys.stderr)
    trial = Trial(given.program, seed, given.broken)
    trial.hurry()
    trial.burn(given.seconds)
    ended = trial.settle()
    if trial.crowd.failure:
        raise trial.crowd.failure
    trial.close()
    if given.untimed:
        trial.hang_ups.late = 0
    verdict = {"seconds": given.seconds, "seed": seed, **trial.verdict(ended)}
    print(json.dumps(verdict, separators=(",", ":")))
    return 1 if verdict["violated"] else 0


if __name__ == "__main__":
    sys.exit(main())
