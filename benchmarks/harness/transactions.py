"""What a task costs a transaction: with one, without, by the database's driver alone, and by the driver with one INSERT more,
in turns on the same database."""
from contextlib import ExitStack, closing
from dataclasses import dataclass
from statistics import median

import contenders
import databases
import machine
import processes
import results
import table
from databases import PrivateDatabase
from processes import Failed
from rounds import Progress
from server import PrivateRedis

PROGRAM = f"{contenders.BUILT}/benchmarks/commit"
LIMIT = 180  # seconds a call
ROUNDS = {"full": 5, "quick": 3, "smoke": 1}
SHARE = {"full": 1, "quick": 3, "smoke": 40}  # of the transactions of a full run
MUST_RATE = 0.85  # of the driver alone
MUST_START_MS = 2
CONTENDERS = ("with_task", "bare", "alone", "one_more")
KINDS = {"transactions": "one INSERT", "tpcb": "TPC-B"}


@dataclass(frozen=True)
class Work:
    name: str
    words: str
    transactions: int
    contenders: tuple

    def value(self, result):
        return result["p50_ms"] if self.contenders == ("latency",) else result["tasks"] / result["seconds"]


RATES = [Work("transactions_c1", "callers=1", 1_000, CONTENDERS),
         Work("transactions_c16", "callers=16", 6_000, CONTENDERS),
         Work("tpcb_c1", "callers=1 tpcb=1", 1_000, CONTENDERS),
         Work("tpcb_c16", "callers=16 tpcb=1", 6_000, CONTENDERS)]
LATENCIES = [Work("commit_to_start_ms", "", 100, ("latency",)),
             Work("commit_to_start_named_ms", "named=1", 100, ("latency",))]


def do(work, contender, mode, database, redis):
    count = max(20, work.transactions // SHARE[mode])
    redis.empty()
    environment = {**redis.environment, "BENCH_DATABASE": database.url}
    result = processes.run([PROGRAM, contender, *work.words.split(), f"tasks={count}"], environment, LIMIT)
    if result.get("tasks") != count:
        raise Failed(f"{contender}, {work.name}: {result.get('tasks')} of {count} transactions were done")
    return result


def measure(kinds, mode):
    """Records, a row each."""
    progress, found = Progress(), {}
    with ExitStack() as stack:
        redis = stack.enter_context(closing(PrivateRedis()))
        about = machine.about(redis, mode)
        opened = {kind: stack.enter_context(closing(PrivateDatabase(kind))) for kind in kinds}
        for turn in range(ROUNDS[mode]):
            for kind, database in opened.items():
                for work in RATES + LATENCIES:
                    # Who goes first changes: the database is warmer for the next one.
                    order = work.contenders if turn % 2 == 0 else work.contenders[::-1]
                    for contender in order:
                        progress.say(f"round {turn + 1} of {ROUNDS[mode]}: {kind}, {work.name}, {contender}")
                        result = do(work, contender, mode, database, redis)
                        found.setdefault((kind, work, contender), []).append(result)
        progress.say("")
    return [record_of(kind, work, found, about) for kind in kinds for work in RATES + LATENCIES]


def record_of(kind, work, found, about):
    own = found[kind, work, work.contenders[0]]
    values = [work.value(one) for one in own]
    is_smoke = about["mode"] == "smoke"  # so few transactions reach no target
    made = {"name": f"{work.name}_{kind}", "database": kind, "work": work.name, "version": databases.version(kind),
            **results.summary(values), "rounds": len(values)}
    if work in LATENCIES:
        return made | {"unit": "ms", "better": "less", "p99": median(one["p99_ms"] for one in own),
                       "transaction_ms": median(one["transaction_p50_ms"] for one in own),
                       "must": MUST_START_MS, "must_of": "ms",
                       "must_reached": None if is_smoke else made["value"] <= MUST_START_MS} | about
    for other in work.contenders[1:]:
        made[other] = median(work.value(one) for one in found[kind, work, other])
        made[f"of_{other}"] = ratio(work, own, found[kind, work, other])
    made["floor"] = ratio(work, found[kind, work, "one_more"], found[kind, work, "alone"])
    return made | {"unit": "transactions/s", "better": "more", "must": MUST_RATE, "must_of": "alone",
                   "must_reached": None if is_smoke else made["of_alone"] >= MUST_RATE,
                   "outbox_empty_after_s": median(one["outbox_empty_after"] for one in own)} | about


def ratio(work, these, others):
    """The median of the rounds' own ratios: of each round the two that were measured together, as the machine's speed changes."""
    return median(work.value(one) / work.value(other) for one, other in zip(these, others))


def rate_rows(records):
    rows = [["database", "transaction", "at once", "with a task", "min – max", "without", "ratio", "driver alone", "ratio",
             f"must be {MUST_RATE}", "alone, one INSERT more"]]
    for one in records:
        if one["unit"] == "transactions/s":
            kind, callers = one["work"].rsplit("_c", 1)
            rows.append([titled(one), KINDS[kind], callers, table.number(one["value"]), table.extent(one),
                         table.number(one["bare"]), table.ratio(one["of_bare"]), table.number(one["alone"]),
                         table.ratio(one["of_alone"]), table.yes(one["must_reached"]), table.ratio(one["floor"])])
    return rows


def start_rows(records):
    rows = [["database", "biz_id", "the transaction, ms", "commit to start, median ms", "min – max", "p99 ms",
             f"must be {MUST_START_MS} ms"]]
    for one in records:
        if one["unit"] == "ms":
            rows.append([titled(one), "yes" if "named" in one["work"] else "no", table.number(one["transaction_ms"]),
                         table.number(one["value"]), table.extent(one), table.number(one["p99"]),
                         table.yes(one["must_reached"])])
    return rows


def titled(one):
    return f"{databases.TITLES[one['database']]} {one['version']}"


def whole(records, form=table.as_text):
    return "\n\n".join([table.heading(records), form(rate_rows(records), 2), form(start_rows(records), 2)])
