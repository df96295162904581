"""The embedded stores beside a private Redis: the measures that all of them can do."""
import os
import shutil
import tempfile
from contextlib import closing
from dataclasses import dataclass
from typing import Callable

import machine
import processes
import results
import table
from contenders import PROGRAMS
from measures import of, rate
from processes import Failed
from rounds import Progress
from server import PrivateRedis

LIMIT = 300  # seconds a call may take
IN_MEMORY, NORMAL, FULL, REDIS = "SQLite in memory", "SQLite file, normal", "SQLite file, full", "Redis"
STORES = {"full": [IN_MEMORY, NORMAL, FULL, REDIS], "quick": [IN_MEMORY, NORMAL, FULL, REDIS], "smoke": [IN_MEMORY, NORMAL]}
ROUNDS = {"full": 3, "quick": 3, "smoke": 1}


@dataclass(frozen=True)
class Measure:
    name: str
    words: str  # of the program
    full: int  # tasks of a full run
    quick: int  # and of a quick one
    value: Callable = rate
    unit: str = "tasks/s"

    def tasks(self, mode):
        return {"full": self.full, "quick": self.quick, "smoke": max(1, self.full // 100)}[mode]


ONE, TWO = "latency apart=0", "latency apart=1"  # processes
MEASURES = [
    Measure("submit_one", "submit callers=1", 20_000, 4_000),
    Measure("submit_concurrent_50", "submit callers=50", 100_000, 20_000),
    Measure("submit_bulk_1000", "bulk size=1000", 200_000, 50_000),
    Measure("drain_c100", "drain concurrency=100", 200_000, 50_000),
    Measure("life_one_process", "life apart=0", 200_000, 50_000),
    Measure("life_two_processes", "life apart=1", 200_000, 50_000),
    Measure("limited_life", "limited_life", 100_000, 20_000),
    Measure("keyed_life_1000", "limited_life keys=1000", 100_000, 20_000),
    Measure("fire_rate", "fire", 1_000, 1_000, unit="schedules/s"),
    Measure("latency_one_process_p50", ONE, 500, 200, of("p50_ms"), "ms"),
    Measure("latency_two_processes_p50", TWO, 500, 200, of("p50_ms"), "ms"),
    Measure("latency_two_processes_p99", TWO, 500, 200, of("p99_ms"), "ms"),
]
# What must be reached, and what is aimed at where that is more.
TARGETS = {
    ("latency_two_processes_p50", NORMAL): (0.6, 0.3),
    ("latency_two_processes_p99", NORMAL): (2, 1),
    ("life_one_process", NORMAL): (90_000, None),
    ("life_two_processes", NORMAL): (80_000, None),
    ("life_one_process", IN_MEMORY): (150_000, None),
}


def environment(store, folder, redis):
    if store == REDIS:
        return {**redis.environment, "BENCH_STORE": "redis+unix://" + redis.environment["BENCH_SOCKET"]}
    if store == IN_MEMORY:
        return {"BENCH_STORE": "sqlite::memory:"}
    synchronous = store.rsplit(" ", 1)[1]
    return {"BENCH_STORE": f"sqlite://{os.path.abspath(folder)}/tasks.db?synchronous={synchronous}"}


def do(words, tasks, store, redis):
    redis.empty()
    folder = tempfile.mkdtemp(prefix="sqlite-", dir="build/bench")
    try:
        command = PROGRAMS["errand"] + words.split() + [f"tasks={tasks}"]
        result = processes.run(command, environment(store, folder, redis), LIMIT)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if result.get("tasks") != tasks:
        raise Failed(f"{store}, {words}: {result.get('tasks')} of {tasks} tasks were done")
    return result


def measure(mode):
    """Records, one a measure and store."""
    samples, progress = {}, Progress()
    # What is told of one piece of work is of the same calls.
    works = {one.words: one for one in MEASURES}
    with closing(PrivateRedis()) as redis:
        about = machine.about(redis, mode)
        for turn in range(ROUNDS[mode]):
            for words, one in works.items():
                for store in STORES[mode]:
                    # What is in memory is one process's alone.
                    if store == IN_MEMORY and "apart=1" in words:
                        continue
                    progress.say(f"round {turn + 1} of {ROUNDS[mode]}: {one.name}, {store}")
                    samples.setdefault((words, store), []).append(do(words, one.tasks(mode), store, redis))
        progress.say("")
    return [record_of(one, store, samples[one.words, store], about) for one in MEASURES for store in STORES[mode]
            if (one.words, store) in samples]


def record_of(measure, store, of_rounds, about):
    made = {"name": measure.name, "store": store, **results.summary([measure.value(one) for one in of_rounds]),
            "unit": measure.unit, "better": "less" if measure.unit == "ms" else "more", "rounds": len(of_rounds)}
    for which, target in zip(("must", "aim"), TARGETS.get((measure.name, store), ())):
        if target is not None:
            reached = made["value"] <= target if made["better"] == "less" else made["value"] >= target
            made |= {which: target, f"{which}_reached": reached}
    return made | about


# ---- tables ----


def rows_of(records):
    stores = list(dict.fromkeys(one["store"] for one in records))
    rows, cells = [["measure", "unit", *stores]], {}
    for one in records:
        cells.setdefault((one["name"], one["unit"]), {})[one["store"]] = table.number(one["value"])
    return rows + [[name, unit, *(of_stores.get(store, "–") for store in stores)]
                   for (name, unit), of_stores in cells.items()]


def target_rows(records):
    rows = [["target", "store", "unit", "must", "reached", "aim", "reached", "value", "min – max"]]
    for one in records:
        if "must" not in one:
            continue
        sign = ">=" if one["better"] == "more" else "<="
        must, aim = (f"{sign} {table.number(one[which])}" if which in one else "-" for which in ("must", "aim"))
        rows.append([one["name"], one["store"], one["unit"], must, table.yes(one["must_reached"]), aim,
                     table.yes(one.get("aim_reached")), table.number(one["value"]), table.extent(one)])
    return rows


def whole(records, form=table.as_text):
    parts = [table.heading(records), form(rows_of(records), 2)]
    if records[0]["mode"] != "smoke":  # so few tasks reach no target
        parts.append(form(target_rows(records), 3))
    return "\n\n".join(parts)
