"""What a namespace of several shards on one server costs beside one of a single shard."""
import time
from contextlib import closing

import machine
import processes
import table
from contenders import PROGRAMS
from measures import rate
from processes import Failed
from results import summary
from rounds import WORKER_STANDS, Progress
from server import PrivateRedis

SHARDS = {"full": (1, 4, 16, 64), "quick": (1, 4, 16, 64), "smoke": (1, 16)}
SCALE = "shards"  # how these records are told from others of --scale
ROUNDS = {"full": 3, "quick": 1, "smoke": 1}
CALL_LIMIT = 180
IDLE_SECONDS = {"full": 10, "quick": 10, "smoke": 1}
# What is done: words for the program, and how many tasks.
WORK = {
    "drain": ("drain concurrency=100", {"full": 400_000, "quick": 100_000, "smoke": 4_000}),
    "submit": ("submit callers=50", {"full": 300_000, "quick": 60_000, "smoke": 3_000}),
    "life": ("life", {"full": 400_000, "quick": 100_000, "smoke": 4_000}),
    "latency": ("latency", {"full": 2_000, "quick": 500, "smoke": 50}),
}


def calls(result):
    """Scripts that Redis was asked for: calls of the store."""
    return result["calls"] / result["tasks"]


# Name, unit, of which work, how it is computed, and what each number of shards must reach as a part of one shard's.
FIGURES = [
    ("drain_c100", "tasks/s", "drain", rate, {4: (">=", 0.7), 16: (">=", 0.65), 64: (">=", 0.35)}),
    ("drain_c100_calls", "calls/task", "drain", calls, {}),
    ("submit_concurrent_50", "tasks/s", "submit", rate, {4: (">=", 0.5), 16: (">=", 0.5), 64: (">=", 0.5)}),
    ("submit_concurrent_50_calls", "calls/task", "submit", calls, {}),
    ("life_sustained", "tasks/s", "life", rate, {}),
    ("latency_idle_p50_ms", "ms", "latency", lambda result: result["p50_ms"],
     {4: ("<=", 1.3), 16: ("<=", 1.3), 64: ("<=", 1.3)}),
    ("idle_commands", "commands/s and shard", "idle", lambda result: result["commands_per_shard"], {}),
]
MOST_IDLE_COMMANDS = 0.7  # a second and shard


def calls_of(redis):
    """How many scripts it was asked for since it was started."""
    about = redis.connection.info("commandstats").get("cmdstat_evalsha", "calls=0")
    return int(about.split(",")[0].removeprefix("calls="))


def environment(redis, shards):
    return {**redis.environment, "BENCH_SHARDS": str(shards)}


def do(work, shards, mode, redis):
    words, tasks = WORK[work]
    redis.empty()
    before = calls_of(redis)
    command = PROGRAMS["errand"] + words.split() + [f"tasks={tasks[mode]}"]
    result = processes.run(command, environment(redis, shards), CALL_LIMIT)
    # Of a drain the filling is in it: it is the same work for each number of shards.
    return {**result, "calls": calls_of(redis) - before}


def idle(shards, mode, redis):
    redis.empty()
    command = PROGRAMS["errand"] + ["idle", f"seconds={CALL_LIMIT}"]
    with processes.Call(command, environment(redis, shards), CALL_LIMIT) as call:
        time.sleep(WORKER_STANDS[mode])
        count = redis.commands_from_clients(IDLE_SECONDS[mode])
        if call.child.poll() is not None:
            call.result()
            raise Failed("the idle worker ended before its commands were counted")
    return {"commands_per_shard": count / IDLE_SECONDS[mode] / shards}


def measure(mode):
    progress = Progress()
    found = {shards: {work: [] for work in [*WORK, "idle"]} for shards in SHARDS[mode]}
    with closing(PrivateRedis()) as redis:
        about = machine.about(redis, mode)
        for turn in range(ROUNDS[mode]):
            for shards, of in found.items():
                progress.say(f"round {turn + 1} of {ROUNDS[mode]}: {shards} shards")
                for work in WORK:
                    of[work].append(do(work, shards, mode, redis))
                if turn == 0:
                    of["idle"].append(idle(shards, mode, redis))
        progress.say("")
    return records_of(found, about)


def reached(value, base, target):
    if target is None:
        return None
    sign, part = target
    return value >= part * base if sign == ">=" else value <= part * base


def records_of(found, about):
    records, base = [], {}
    for shards, results in found.items():
        for name, unit, work, value, targets in FIGURES:
            made = summary([value(one) for one in results[work]])
            first = base.setdefault(name, made["value"])
            must = reached(made["value"], first, targets.get(shards))
            if name == "idle_commands":
                must = made["value"] <= MOST_IDLE_COMMANDS
            records.append({"name": name, "scale": SCALE, "of": shards, **made, "unit": unit, "rounds": len(results[work]),
                            "ratio_base": made["value"] / first if first else None, "must_reached": must, **about})
    return records


def whole(records, form=table.as_text):
    by_name = {}
    for one in records:
        by_name.setdefault(one["name"], {})[one["of"]] = one
    numbers = list(next(iter(by_name.values())))
    lines = [["figure", "unit", *(f"{shards} shard{'s' if shards > 1 else ''}" for shards in numbers),
              *(f"{shards} of one" for shards in numbers[1:]), "as wanted"]]
    for name, of in by_name.items():
        wanted = [one["must_reached"] for one in of.values() if one["must_reached"] is not None]
        # So few tasks say nothing of it.
        judged = wanted and records[0]["mode"] != "smoke"
        lines.append([name, of[numbers[0]]["unit"], *(table.number(of[shards]["value"]) for shards in numbers),
                      *(table.ratio(of[shards]["ratio_base"]) for shards in numbers[1:]),
                      table.yes(all(wanted) if judged else None)])
    sentence = ("All shards are on one server, with one worker process: what routing costs, not what more servers bring. "
                "Calls are scripts that Redis was asked for.")
    return "\n\n".join([table.heading(records), sentence, form(lines, 2)])
