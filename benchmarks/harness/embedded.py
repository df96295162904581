"""The embedded stores beside a private Redis: the measures that all of them can do."""
import os
import shutil
import statistics
import tempfile

import processes
from processes import Failed
from server import PrivateRedis

PROGRAM = ["build/bench/benchmarks/load"]
LIMIT = 300  # seconds a call may take

# name, words of the program, tasks of a full and of a quick run, what is told, unit
MEASURES = [
    ("submit_one", "submit callers=1", 20_000, 4_000, "rate", "tasks/s"),
    ("submit_concurrent_50", "submit callers=50", 100_000, 20_000, "rate", "tasks/s"),
    ("submit_bulk_1000", "bulk size=1000", 200_000, 50_000, "rate", "tasks/s"),
    ("drain_c100", "drain concurrency=100", 200_000, 50_000, "rate", "tasks/s"),
    ("life_one_process", "life apart=0", 200_000, 50_000, "rate", "tasks/s"),
    ("life_two_processes", "life apart=1", 200_000, 50_000, "rate", "tasks/s"),
    ("limited_life", "limited_life", 100_000, 20_000, "rate", "tasks/s"),
    ("keyed_life_1000", "limited_life keys=1000", 100_000, 20_000, "rate", "tasks/s"),
    ("fire_rate", "fire", 1_000, 1_000, "rate", "schedules/s"),
    ("latency_one_process_p50", "latency apart=0", 500, 200, "p50_ms", "ms"),
    ("latency_two_processes_p50", "latency apart=1", 500, 200, "p50_ms", "ms"),
    ("latency_two_processes_p99", "latency apart=1", 500, 200, "p99_ms", "ms"),
]
IN_MEMORY = "SQLite in memory"
STORES = [IN_MEMORY, "SQLite file, normal", "SQLite file, full", "Redis"]
ROUNDS = 3


def environment(store, folder, redis):
    if store == "Redis":
        return {**redis.environment, "BENCH_STORE": "redis+unix://" + redis.environment["BENCH_SOCKET"]}
    if store == IN_MEMORY:
        return {"BENCH_STORE": "sqlite::memory:"}
    synchronous = store.rsplit(" ", 1)[1]
    return {"BENCH_STORE": f"sqlite://{os.path.abspath(folder)}/tasks.db?synchronous={synchronous}"}


def do(measure, store, mode, redis):
    name, words, full, quick, what, _ = measure
    tasks = full if mode == "full" else quick
    redis.empty()
    folder = tempfile.mkdtemp(prefix="sqlite-", dir="build/bench")
    try:
        result = processes.run(PROGRAM + words.split() + [f"tasks={tasks}"], environment(store, folder, redis), LIMIT)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if result.get("tasks") != tasks:
        raise Failed(f"{store}, {name}: {result.get('tasks')} of {tasks} tasks were done")
    return result["tasks"] / result["seconds"] if what == "rate" else result[what]


def shown(value, unit):
    return f"{value:.2f}" if unit == "ms" else f"{value:,.0f}"


def measure(mode):
    """A Markdown table of medians."""
    redis = PrivateRedis()
    samples = {}
    try:
        for _ in range(1 if mode == "smoke" else ROUNDS):
            for one in MEASURES:
                for store in STORES:
                    # What is in memory is one process's alone.
                    if store == IN_MEMORY and "two_processes" in one[0]:
                        continue
                    samples.setdefault((one[0], store), []).append(do(one, store, mode, redis))
    finally:
        redis.close()
    lines = ["| measure | unit | " + " | ".join(STORES) + " |", "| --- | --- |" + " ---: |" * len(STORES)]
    for one in MEASURES:
        values = [samples.get((one[0], store)) for store in STORES]
        cells = [shown(statistics.median(each), one[5]) if each else "–" for each in values]
        lines.append(f"| {one[0]} | {one[5]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
