"""What clients have seen, and what follows from it. No I/O."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Dict, List, Optional, Set


@dataclass
class Run:
    """A claim that has come to a client."""

    key: str
    """What the task's submission said it is."""
    id: str
    claim: str
    """Of all tasks that one call took."""
    attempt: int
    fence: int
    started_at: datetime
    lease_until: datetime
    said: Optional[str] = None
    """The outcome that was sent, answered or not."""
    accepted: bool = False
    """The service has answered that it counts."""


@dataclass
class Ended:
    """A task, as the service tells it at the end."""

    state: str
    result: object


@dataclass
class Journal:
    wanted: Dict[str, Set[str]] = field(default_factory=dict)
    """Keys that were submitted, with the ids that were answered."""
    runs: List[Run] = field(default_factory=list)
    guard: threading.Lock = field(default_factory=threading.Lock)

    def want(self, key: str) -> None:
        with self.guard:
            self.wanted.setdefault(key, set())

    def took(self, key: str, id: str) -> None:
        with self.guard:
            self.wanted[key].add(id)

    def began(self, run: Run) -> None:
        with self.guard:
            self.runs.append(run)


# A client's clock and the store's are those of one machine; a lease is said in whole milliseconds.
_rounding = timedelta(milliseconds=5)


def judge(seen: Journal, ended: Dict[str, Ended]) -> Counter[str]:
    """How often what was violated. `ended`: by id, of all tasks that were answered or run."""
    found: Counter[str] = Counter()
    by_id: Dict[str, List[Run]] = defaultdict(list)
    by_key: Dict[str, List[Run]] = defaultdict(list)
    for run in seen.runs:
        by_id[run.id].append(run)
        by_key[run.key].append(run)
    for key, ids in seen.wanted.items():
        there = [ended[id] for id in ids if id in ended]
        if not any(one.state == "success" for one in there):
            found["lost"] += 1
        accepted = [run for run in by_key[key] if run.said == "success" and run.accepted]
        everything = ids | {run.id for run in by_key[key]}
        if len(accepted) > 1 or len(everything) > 1:
            found["accepted_twice"] += 1
        found["other_result"] += sum(
            1 for run in accepted if run.id in ended and ended[run.id].result != run.claim and len(accepted) == 1
        )
    found["never_submitted"] += sum(1 for key in by_key if key not in seen.wanted)
    for runs in by_id.values():
        found += _judge_order(sorted(runs, key=lambda run: run.fence))
    return +found


def _judge_order(runs: List[Run]) -> Counter[str]:
    """Of one task."""
    found: Counter[str] = Counter()
    unused: Counter[int] = Counter()
    times: Counter[int] = Counter()
    for run in runs:
        times[run.attempt] += 1
        # What is given back or put off uses no attempt.
        unused[run.attempt] += run.said in ("give_back", "snooze")
    found["attempt_used_twice"] += sum(1 for attempt, n in times.items() if n > unused[attempt] + 1)
    for before, after in zip(runs, runs[1:]):
        if after.attempt < before.attempt:
            found["fence_backwards"] += 1
        if before.said is None and after.started_at + _rounding < before.lease_until:
            found["taken_under_a_lease"] += 1
        if before.said == "success" and before.accepted:
            found["run_after_its_end"] += 1
    return found
