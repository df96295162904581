"""How long single scripts hold up Redis while very many tasks are revived, deleted, cancelled, run and cleaned away."""
import os
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass

import machine
import processes
import table
from processes import Failed
from rounds import Progress
from server import PrivateRedis

# What others do on the machine stops Redis in the middle of a script now and then. A script that is long by itself is
# long each time, so the figure of a row is the least of its rounds.
ROUNDS = {"full": 3, "quick": 1, "smoke": 1}
TASKS = {"full": 100_000, "quick": 100_000, "smoke": 2_000}
LIMIT = 300  # seconds a call
TOLD_FROM = 100  # us: what is shorter does not enter the slow log
TOO_LONG_MS = 5
PROGRAMS = {"crowd": "build/bench/benchmarks/crowd", "errand": "build/bench/errand"}


@dataclass(frozen=True)
class Row:
    what: str
    fill: str  # for the program `crowd`; empty: what the row before has left
    do: str
    ends: str = ""  # in what `errand` says when all was done; {} stands for the number of tasks


ROWS = [
    Row("dead", "dead", "errand revive --all --yes", "revived {} of {}"),
    Row("… then run", "", "crowd work"),
    Row("dead, with biz_ids, in 4 queues", "dead_named queues=4", "errand revive --all --yes", "revived {} of {}"),
    Row("half dead, half cancelled as dependents of one each", "pairs", "errand revive --all --yes"),
    Row("… then run, dependents too", "", "crowd work"),
    Row("one dead, the others cancelled as its dependents", "family", "errand revive --all --yes", "revived 1 of 1"),
    Row("… then run, dependents too", "", "crowd work"),
    Row("dead, with biz_ids, in 4 queues", "dead_named queues=4", "errand delete --all --state dead --yes", "{} of {}"),
    Row("cancelled, all dependents of one", "family", "errand delete --all --state cancelled --yes", "{} of {}"),
    Row("success, with a stage each", "staged", "errand delete --all --state success --yes", "{} of {}"),
    Row("ready", "ready", "errand cancel --all --state ready --yes", "{} of {}"),
    Row("… then run what is left", "", "crowd work"),
    Row("ready, with priorities", "urgent", "errand cancel --all --state ready --yes", "{} of {}"),
    Row("delayed", "delayed", "errand cancel --all --state delayed --yes", "{} of {}"),
    Row("retry", "retry", "errand retry --all --yes", "{} of {}"),
    Row("delayed", "delayed", "errand reschedule --all --in 1s --yes", "{} of {}"),
    Row("… then run, all due at once", "", "crowd work"),
    Row("ready, all expired", "expiring", "crowd work"),
    Row("dead, all but 1000 trimmed", "dead", "crowd work max_history=1000"),
    Row("dead, with biz_ids, in 4 queues", "dead_named queues=4", "errand list dead --all --ids"),
    Row("half dead, half cancelled as dependents of one each", "pairs", "errand doctor", "in order"),
    Row("ready", "ready", "errand doctor", "in order"),
]


class Crowd:
    def __init__(self, tasks, redis):
        self.tasks, self.redis = tasks, redis
        self.environment = {**os.environ, "ERRAND_STORE": "redis+unix://" + redis.address.path,
                            "ERRAND_LOG_LEVEL": "error"}
        self.scripts = dict(line.split(" ", 1) for line in self.run("crowd scripts").splitlines())

    def run(self, words):
        name, *rest = words.split()
        child = processes.start([PROGRAMS[name], *rest], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        try:
            said, errors = child.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            raise Failed(f"{words}: not done after {LIMIT} s") from None
        finally:
            processes.kill_group(child)
            child.wait()
        if child.returncode != 0:
            raise Failed(f"{words}: " + (errors.strip().splitlines() or ["failed"])[-1])
        return said

    def do(self, row):
        """Seconds, and the longest call of each script in ms."""
        if row.fill:
            self.redis.empty()
            self.run(f"crowd fill {row.fill} tasks={self.tasks}")
        self.redis.connection.call("SLOWLOG", "RESET")
        began = time.monotonic()
        said = self.run(row.do)
        seconds = time.monotonic() - began
        if row.ends.replace("{}", str(self.tasks)) not in said:
            raise Failed(f"{row.do}: said {said.strip()[-200:]}")
        longest = {}
        for one in self.redis.connection.call("SLOWLOG", "GET", -1):
            # What a script calls stands in the log as well; only the script counts.
            if one[3][0].upper() == "EVALSHA":
                name = self.scripts.get(one[3][1], one[3][1])
                longest[name] = max(longest.get(name, 0), one[2] / 1000)
        return seconds, longest


def prefer(redis):
    """Before other programs, where that is allowed: the log counts the time in which Redis is made to wait, too."""
    subprocess.run(["chrt", "-f", "-p", "10", str(redis.pid)], check=False, capture_output=True)


def measure(mode):
    progress = Progress()
    with closing(PrivateRedis()) as redis:
        prefer(redis)
        redis.connection.call("CONFIG", "SET", "slowlog-log-slower-than", TOLD_FROM)
        redis.connection.call("CONFIG", "SET", "slowlog-max-len", 20_000)
        about = machine.about(redis, mode)
        crowd = Crowd(TASKS[mode], redis)
        found = {at: [] for at in range(len(ROWS))}
        for turn in range(ROUNDS[mode]):
            for at, row in enumerate(ROWS):
                progress.say(f"round {turn + 1} of {ROUNDS[mode]}: {row.what}: {row.do}")
                found[at].append(crowd.do(row))
        progress.say("")
    return [record_of(ROWS[at], results, TASKS[mode], about) for at, results in found.items()]


def record_of(row, results, tasks, about):
    least = {name: min(longest.get(name, 0) for _, longest in results)
             for name in {name for _, longest in results for name in longest}}
    worst = max(least, key=least.get, default="")
    return {"name": "longest_script_ms", "repair": row.do, "of": row.what, "tasks": tasks, "unit": "ms",
            "value": least.get(worst, TOLD_FROM / 1000), "script": worst,
            "seconds": min(seconds for seconds, _ in results), "rounds": len(results), **about}


def failures(records):
    """A sentence for each script that takes too long by itself."""
    return [f"{one['repair']} ({one['of']}): {one['script']} took {one['value']:.1f} ms" for one in records
            if one["value"] > TOO_LONG_MS and one["rounds"] > 1]


def whole(records, form=table.as_text):
    lines = [["tasks", "what is done", "s", "longest script", "ms"]]
    for one in records:
        lines.append([one["of"], one["repair"].replace(" --yes", ""), f"{one['seconds']:.1f}", one["script"] or "-",
                      f"{one['value']:.1f}"])
    sentence = f"{records[0]['tasks']:,} tasks. The longest of all calls of a script, as Redis's slow log tells."
    return "\n\n".join([table.heading(records), sentence, form(lines, 2)])
