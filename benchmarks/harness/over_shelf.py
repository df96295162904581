"""What a shelf costs: rows in and out, bytes a row on the disk, and the memory of Redis while a shelf falls due."""
import threading
from contextlib import closing
from dataclasses import dataclass

import contenders
import databases
import machine
import processes
import results
import table
from databases import PrivateDatabase
from processes import Failed
from resp import Connection
from rounds import Progress
from server import PrivateRedis

PROGRAM = f"{contenders.BUILT}/benchmarks/shelf"
LIMIT = 3_600  # seconds a call
ROWS = {"full": 10_000_000, "quick": 200_000, "smoke": 20_000}
# Other tasks, beside rows that come out as fast as they can.
LIVES_A_SECOND = {"full": 20_000, "quick": 20_000, "smoke": 200}
# Of those that are sent so many must be run meanwhile: the last ones are on their way still.
RUN_MEANWHILE = 0.95
# Rows that fall due, and others beside them: both together are what a worker can run.
DUE_A_SECOND = {"full": 10_000, "quick": 10_000, "smoke": 3_000}
LIVES_BESIDE_DUE = {"full": 5_000, "quick": 5_000, "smoke": 200}
ALONE_FOR = {"full": 10, "quick": 10, "smoke": 1}  # seconds
BETWEEN_LOOKS = 0.05
MB = 1_000_000


@dataclass(frozen=True)
class Figure:
    name: str
    what: str
    unit: str
    better: str
    value: object  # of what the step has answered
    step: str
    must: float = None


def rate(answer):
    return answer["tasks"] / answer["seconds"]


FIGURES = [
    Figure("in", "in", "rows/s", "more", lambda of: rate(of["in"]), "plain", 50_000),
    Figure("in_named", "in, each with a biz_id", "rows/s", "more", lambda of: rate(of["in"]), "named"),
    Figure("bytes", "on the disk", "bytes/row", "less", lambda of: of["in"]["bytes_per_row"], "plain", 200),
    Figure("bytes_named", "on the disk, each with a biz_id", "bytes/row", "less", lambda of: of["in"]["bytes_per_row"], "named"),
    Figure("out", "out", "rows/s", "more", lambda of: rate(of["out"]), "plain"),
    Figure("out_named", "out, each with a biz_id", "rows/s", "more", lambda of: rate(of["out"]), "named"),
    Figure("out_beside", "out, beside other tasks", "rows/s", "more", lambda of: rate(of["out"]), "beside", 40_000),
    Figure("lives_beside", "those other tasks", "tasks/s", "more", lambda of: of["out"]["lives_a_second"], "beside",
           RUN_MEANWHILE * LIVES_A_SECOND["full"]),
    Figure("redis_growth", "Redis while all of it falls due", "MB more", "less",
           lambda of: (of["due"]["most_memory"] - of["alone"]["most_memory"]) / MB, "due", 64),
    Figure("behind", "the last one runs so late", "s", "less", lambda of: of["due"]["behind_s"], "due"),
]


def steps(mode, rows):
    """What is done on a database of its own, call by call."""
    lives = LIVES_A_SECOND[mode]
    return {"plain": [f"in tasks={rows}", f"out tasks={rows}"],
            "named": [f"in named=1 tasks={rows}", f"out tasks={rows}"],
            "beside": [f"in tasks={rows}", f"out tasks={rows} lives={lives}"],
            # What others than the shelf's tasks take, and a worker, is taken off.
            "due": [f"alone lives={LIVES_BESIDE_DUE[mode]} seconds={ALONE_FOR[mode]}",
                    f"due tasks={rows} rate={DUE_A_SECOND[mode]} lives={LIVES_BESIDE_DUE[mode]}"]}


class Watch:
    """The most memory that Redis had, looked at again and again."""

    def __init__(self, redis):
        self.connection = Connection(redis.address)
        self.most = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.look)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.connection.close()

    def look(self):
        while not self.over.wait(BETWEEN_LOOKS):
            self.most = max(self.most, int(self.connection.info("memory")["used_memory"]))


def call(words, database, redis):
    environment = {**redis.environment, "BENCH_DATABASE": database.url}
    with Watch(redis) as watch:
        answer = processes.run([PROGRAM, *words.split()], environment, LIMIT)
    return {**answer, "most_memory": watch.most}


def there(kinds):
    """Those of these databases that this machine has."""
    return [kind for kind in kinds if databases.version(kind) != "unknown"]


def do(kind, words, redis):
    """Answers, by the first word of each call."""
    redis.empty()
    with closing(PrivateDatabase(kind)) as database:
        return {one.split()[0]: call(one, database, redis) for one in words}


def measure(kinds, mode, rows):
    """Records, a row each."""
    progress, found = Progress(), {}
    rows = rows or ROWS[mode]
    with closing(PrivateRedis()) as redis:
        about = machine.about(redis, mode)
        for kind in kinds:
            for step, words in steps(mode, rows).items():
                progress.say(f"{kind}, {step}, {rows:,} rows")
                found[kind, step] = [do(kind, words, redis)]
        progress.say("")
    return [record_of(kind, one, found[kind, one.step], rows, about) for kind in kinds for one in FIGURES]


def record_of(kind, figure, answers, rows, about):
    made = {"name": f"shelf_{figure.name}_{kind}", "shelf": kind, "figure": figure.name, "rows": rows,
            "version": databases.version(kind), **results.summary([figure.value(one) for one in answers]),
            "unit": figure.unit, "better": figure.better, "rounds": len(answers)}
    if figure.must is not None and about["mode"] != "smoke":
        reached = made["value"] >= figure.must if figure.better == "more" else made["value"] <= figure.must
        made |= {"must": figure.must, "must_reached": reached}
    return made | about


def whole(records, form=table.as_text):
    kinds = list(dict.fromkeys(one["shelf"] for one in records))
    by_name = {(one["figure"], one["shelf"]): one for one in records}
    first = records[0]
    rows = [["figure", "unit", "wanted"]]
    for kind in kinds:
        title = f"{databases.TITLES[kind]} {by_name['in', kind]['version']}"
        rows[0] += [title, "min – max", "as wanted"]
    for figure in FIGURES:
        sign = ">=" if figure.better == "more" else "<="
        row = [figure.what, figure.unit, f"{sign} {table.number(figure.must)}" if figure.must is not None else "-"]
        for kind in kinds:
            one = by_name[figure.name, kind]
            row += [table.number(one["value"]), table.extent(one), table.yes(one.get("must_reached"))]
        rows.append(row)
    sentence = (f"{first['rows']:,} rows, databases with the durability that they have by default; one program puts them there, by "
                "four coroutines in bulks of 1,000, and one worker process brings them. Falling due: "
                f"{DUE_A_SECOND[first['mode']]:,} rows a second, which a worker runs beside {LIVES_BESIDE_DUE[first['mode']]:,} other "
                "tasks a second, brought two seconds before; without what Redis takes for those others. Out beside other tasks: "
                f"{LIVES_A_SECOND[first['mode']]:,} of them a second.")
    return "\n\n".join([table.heading(records), sentence, form(rows, 3)])
