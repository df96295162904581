"""What a task costs beside many stored ones, on many queues, and with several worker processes."""
from contextlib import ExitStack, closing
from dataclasses import dataclass

import machine
import processes
import table
from contenders import PROGRAMS
from measures import rate, redis_us
from processes import Failed
from results import summary
from rounds import Progress
from server import PrivateRedis

ROUNDS = {"full": 3, "quick": 1}
LIFE_TASKS = {"full": 400_000, "quick": 100_000}
LATENCY_TASKS = {"full": 2_000, "quick": 500}
MOST_STORED = {"full": 10_000_000, "quick": 1_000_000}
FILL_LIMIT = 900  # seconds
CALL_LIMIT = 180
GIB = 1 << 30

# What is told of each row: name, unit, how to compute it, and from the result of which program call.
FIGURES = [
    ("life_sustained", "tasks/s", "life", rate),
    ("redis_cpu_life_sustained_us", "us/task", "life", redis_us),
    ("latency_idle_p50_ms", "ms", "latency", lambda result: result["p50_ms"]),
    ("latency_idle_p99_ms", "ms", "latency", lambda result: result["p99_ms"]),
]


@dataclass(frozen=True)
class Row:
    what: str
    of: int
    words: str = ""  # for the measuring program
    stored: int = 0


def rows(mode):
    most = MOST_STORED[mode]
    return ([Row("delayed tasks stored", count, stored=count) for count in (0, most // 10, most)]
            + [Row("queues", count, f"queues={count}") for count in (10, 100)]
            + [Row("worker processes", count, f"workers={count}") for count in (2, 4)])


def delayed(redis):
    """How many delayed tasks are stored, by errand's own sorted sets."""
    return sum(redis.connection.call("ZCARD", key) for key in redis.connection.call("KEYS", "errand:*:due:*"))


def fill(redis, count, progress):
    progress.say(f"storing {count:,} delayed tasks")
    words = ["bulk", "size=1000", "delayed=1", f"tasks={count}"]
    processes.run(PROGRAMS["errand"] + words, redis.environment, FILL_LIMIT)
    if delayed(redis) != count:
        raise Failed(f"{delayed(redis)} instead of {count} delayed tasks are stored")


def do(row, redis, mode):
    # Nothing is deleted beside a stored backlog, so those rows also carry what the calls before them left.
    if not row.stored:
        redis.empty()

    def call(words):
        command = PROGRAMS["errand"] + words.split() + row.words.split()
        return processes.run(command, redis.environment, CALL_LIMIT)

    done = {"life": call(f"life tasks={LIFE_TASKS[mode]}"), "latency": call(f"latency tasks={LATENCY_TASKS[mode]}")}
    if delayed(redis) != row.stored:
        raise Failed(f"{row.what} {row.of}: the backlog has changed")
    return done


def measure(mode):
    progress = Progress()
    with ExitStack() as stack:
        # One Redis for each backlog, so that the rows take turns without being filled anew.
        backlogs = sorted({row.stored for row in rows(mode)})
        stores = {count: stack.enter_context(closing(PrivateRedis())) for count in backlogs}
        about = machine.about(stores[0], mode)
        memory = {}
        for count, redis in stores.items():
            if count:
                fill(redis, count, progress)
            memory[count] = redis.used_memory()
        found = {row: [] for row in rows(mode)}
        for turn in range(ROUNDS[mode]):
            for row in found:
                progress.say(f"round {turn + 1} of {ROUNDS[mode]}: {row.what} {row.of:,}")
                found[row].append(do(row, stores[row.stored], mode))
        progress.say("")
    return records_of(found, memory, about)


def records_of(found, memory, about):
    records, base = [], {}
    for row, results in found.items():
        for name, unit, call, value in FIGURES:
            made = summary([value(one[call]) for one in results])
            base.setdefault(name, made["value"])
            records.append({"name": name, "scale": row.what, "of": row.of, **made, "unit": unit, "rounds": len(results),
                            "ratio_base": made["value"] / base[name], "stored": row.stored,
                            "redis_memory": memory[row.stored], **about})
    return records


def whole(records, form=table.as_text):
    names = [name for name, *_ in FIGURES]
    by_row = {}
    for one in records:
        by_row.setdefault((one["scale"], one["of"]), {})[one["name"]] = one
    head = ["scale", "", "Redis holds"]
    for name in names:
        head += [name, "min – max", "of first"]
    lines = [head]
    for (what, of), figures in by_row.items():
        any_of = next(iter(figures.values()))
        held = any_of["redis_memory"] / GIB
        line = [what, f"{of:,}", f"{held:.2f} GiB" if any_of["stored"] else "-"]
        for name in names:
            one = figures[name]
            line += [table.number(one["value"]), table.extent(one), f"{one['ratio_base']:.2f}"]
        lines.append(line)
    sentence = ("The first row has nothing stored, one queue and one worker process; `of first` is a row's figure as a "
                "part of the first row's.")
    return "\n\n".join([table.heading(records), sentence, form(lines, 1)])
