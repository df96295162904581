"""errand's HTTP service under load, by its own interface (REST) and by lmstfy's API, with beanstalkd beside it."""
import resource
from contextlib import closing
from dataclasses import dataclass, field
from statistics import median
from typing import Callable, Optional

import machine
import processes
import results
import table
from contenders import BUILT, PROGRAMS, TITLES
from http_service import Service
from processes import Failed
from rounds import Progress
from server import PrivateRedis

PROGRAM = f"{BUILT}/benchmarks/http"
LIMIT = 180  # seconds a call
ROUNDS = {"full": 3, "quick": 3, "smoke": 1}
SHARE = {"full": 1, "quick": 4, "smoke": 200}  # of the tasks of a full run
CONSUMERS = {"full": 10_000, "quick": 10_000, "smoke": 20}  # that wait
DELIVERED = {"full": 1_000, "quick": 300, "smoke": 5}  # to these, one by one
SECONDS = {"full": 10, "quick": 3, "smoke": 1}  # without work
SPARE = 200  # connections and files besides those of consumers that wait
INTERFACES = {"rest": "REST", "lmstfy": "lmstfy's API"}
PEER = "beanstalkd"


@dataclass(frozen=True)
class Work:
    """What is done, with how many tasks in a full run, and who does it in what words."""
    words: str
    tasks: int = 0
    interfaces: tuple = tuple(INTERFACES)
    peer: str = ""
    peer_tasks: int = 0
    rounds_when_quick: int = 3

    def command(self, mode):
        if self.words == "wait":
            return f"wait consumers={CONSUMERS[mode]} tasks={DELIVERED[mode]} seconds={max(1, SECONDS[mode] // 3)}"
        return f"idle seconds={SECONDS[mode]}" if self.words == "idle" else f"{self.words} tasks={self.count(mode)}"

    def count(self, mode):
        return DELIVERED[mode] if self.words == "wait" else self.tasks // SHARE[mode]


def rate(result):
    return result["tasks"] / result["seconds"]


def of(key):
    return lambda result: result[key]


@dataclass(frozen=True)
class Measure:
    name: str
    unit: str
    better: str  # "more" or "less"
    work: Work
    value: Callable
    must: Optional[float] = field(default=None)

    def reaches(self, value):
        return value >= self.must if self.better == "more" else value <= self.must


# Ten requests under way are enough for a service of one thread; publishing and consuming one by one is asked of fifty.
PUBLISH = Work("publish connections=50", 60_000, peer="submit_concurrent_50", peer_tasks=60_000)
BULK = Work("publish connections=10 size=64", 300_000, peer="submit_bulk_1000 size=64", peer_tasks=200_000)
CONSUME = Work("consume connections=50", 40_000, peer="drain concurrency=50", peer_tasks=80_000)
FUSED = Work("consume connections=50 fused=1", 40_000, ("rest",))
BATCHES = Work("consume connections=10 size=100 fused=1", 200_000, ("rest",))
WAIT = Work("wait", rounds_when_quick=1)
IDLE = Work("idle", interfaces=("rest",), rounds_when_quick=1)

MEASURES = [
    Measure("publish_50", "jobs/s", "more", PUBLISH, rate, must=25_000),
    Measure("bulk_64", "jobs/s", "more", BULK, rate, must=150_000),
    Measure("consume_ack_50", "jobs/s", "more", CONSUME, rate, must=15_000),
    Measure("consume_ack_50_one_request", "jobs/s", "more", FUSED, rate),
    Measure("claim_report_100", "jobs/s", "more", BATCHES, rate, must=100_000),
    Measure("wait_10000_memory_mb", "MB", "less", WAIT, of("rss_mb"), must=200),
    Measure("wait_10000_p50_ms", "ms", "less", WAIT, of("p50_ms")),
    Measure("wait_10000_p99_ms", "ms", "less", WAIT, of("p99_ms"), must=5),
    Measure("wait_10000_cpu_percent", "%", "less", WAIT, of("waiting_cpu_percent")),
    Measure("idle_cpu_percent", "%", "less", IDLE, of("cpu_percent"), must=0.5),
]
WORKS = list(dict.fromkeys(one.work for one in MEASURES))


def by_service(work, interface, mode, redis):
    redis.empty()
    waiting = CONSUMERS[mode] if work is WAIT else SPARE
    with closing(Service(redis, waiting, waiting + SPARE)) as service:
        words = work.command(mode).split() + (["lmstfy=1"] if interface == "lmstfy" else [])
        result = processes.run([PROGRAM, *words], {**redis.environment, **service.environment}, LIMIT)
    expected = 0 if work is IDLE else work.count(mode)
    if result.get("tasks") != expected:
        raise Failed(f"{work.words}: {result.get('tasks')} of {expected} tasks were done")
    return result


def by_peer(work, mode):
    tasks = max(1, work.peer_tasks // SHARE[mode])
    result = processes.run([*PROGRAMS[PEER], *work.peer.split(), f"tasks={tasks}"], {}, LIMIT)
    if result.get("tasks") != tasks:
        raise Failed(f"{PEER}, {work.peer}: {result.get('tasks')} of {tasks} tasks were done")
    return result


def raise_open_files(mode):
    """Why so many consumers cannot be had; empty: they can."""
    needed = CONSUMERS[mode] + 2 * SPARE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        return (f"left out: {CONSUMERS[mode]:,} consumers that wait: they take {needed:,} open files, and the limit is "
                f"{hard:,} (ulimit -Hn)")
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return ""


def calls_of(work, with_peers):
    return [*work.interfaces, *([PEER] if with_peers and work.peer else [])]


def measure(mode, with_peers):
    """Records, a row each; why something is missing; whether the service failed."""
    progress, found, notes = Progress(), {}, []
    works = WORKS
    if why := raise_open_files(mode):
        notes.append(why)
        works = [one for one in WORKS if one is not WAIT]
    failed = set()  # what fails once is left out, as what is left of it would not be from the same rounds
    with closing(PrivateRedis()) as redis:
        about = machine.about(redis, mode)
        for turn in range(ROUNDS[mode]):
            for work in works:
                if mode == "quick" and turn >= work.rounds_when_quick:
                    continue
                for who in calls_of(work, with_peers):
                    if (work, who) in failed:
                        continue
                    progress.say(f"round {turn + 1} of {ROUNDS[mode]}: {work.words}, {INTERFACES.get(who, who)}")
                    try:
                        one = by_peer(work, mode) if who == PEER else by_service(work, who, mode, redis)
                        found.setdefault((work, who), []).append(one)
                    except Failed as sentence:
                        failed.add((work, who))
                        found.pop((work, who), None)
                        notes.append(f"FAILED: {INTERFACES.get(who, who)}: {sentence}")
        progress.say("")
    records = [record_of(one, who, found, about) for one in MEASURES for who in one.work.interfaces
               if (one.work, who) in found]
    return records, notes, any(who != PEER for _, who in failed)


def record_of(measure, interface, found, about):
    own = found[measure.work, interface]
    made = {"name": measure.name, "interface": interface, **results.summary([measure.value(one) for one in own]),
            "unit": measure.unit, "better": measure.better, "rounds": len(own)}
    if measure.must is not None:
        reached = None if about["mode"] == "smoke" else measure.reaches(made["value"])  # so few tasks reach no target
        made |= {"must": measure.must, "must_reached": reached}
    if measure.value is rate:
        for name, key in (("service", "service_cpu"), ("generator", "client_cpu"), ("redis_share", "redis_cpu")):
            made[name] = median(one[key] / one["seconds"] for one in own)
        if beside := found.get((measure.work, PEER)):
            peer = results.summary([rate(one) for one in beside])
            made["peers"] = {PEER: {**peer, "ratio": made["value"] / peer["value"]}}
    return made | about


# ---- tables ----

LEGEND = ("`service`, `generator` and `Redis` are the processors that each of them had: whichever is near 1 is the limit, as each "
          "works on one thread, and so are all together where they come near the number of processors.")
MISSING = "Not measured: lmstfy, which is in no package of Debian, and BullMQ, which has no interface over HTTP."


def rows_of(records):
    with_peers = any("peers" in one for one in records)
    rows = [["measure", "by", "unit", "value", "min – max", "must", "reached", "service", "generator", "Redis",
             *([TITLES[PEER], "ratio"] if with_peers else [])]]
    for one in records:
        sign = "≥" if one["better"] == "more" else "≤"
        row = [one["name"], INTERFACES[one["interface"]], one["unit"], table.number(one["value"]),
               table.extent(one) + ("" if one["rounds"] > 1 else " (once)"),
               f"{sign} {table.number(one['must'])}" if "must" in one else "-", table.yes(one.get("must_reached"))]
        row += [f"{one[name]:.2f}" if name in one else "-" for name in ("service", "generator", "redis_share")]
        if with_peers:
            peer = one.get("peers", {}).get(PEER)
            row += [table.number(peer["value"]), table.ratio(peer["ratio"])] if peer else ["-", "-"]
        rows.append(row)
    return rows


def whole(records, form=table.as_text):
    return "\n\n".join([table.heading(records), LEGEND, form(rows_of(records), 3), MISSING])
