"""Does the work, in interleaved repetitions: each piece by every contender in turn, and all of it again."""
import sys
import time

import instructions
import processes
from contenders import PEERS, PROGRAMS
from processes import Failed, Unknown

LIMIT = 180  # seconds a call may take
WORKER_STANDS = {"full": 2, "quick": 1, "smoke": 0.3}  # seconds until an idle worker has said what it says at its start


def do(work, contender, mode, redis):
    """One piece of work by one contender on an empty Redis."""
    words, _ = work.calls[contender]
    tasks = work.tasks(contender, mode)
    command = PROGRAMS[contender] + words.split()
    redis.empty()
    environment = redis.environment if work.shards == 1 else {**redis.environment, "BENCH_SHARDS": str(work.shards)}
    if work.beside:
        beside = work.beside[0].split() + [f"tasks={work.tasks_beside(mode)}"]
        processes.run(PROGRAMS[contender] + beside, environment, LIMIT)
    if work.reads == "commands":
        return watch_idle(command, tasks, mode, redis)
    if work.reads == "instructions":
        return instructions.count(command, tasks, redis, LIMIT)
    before = redis.used_memory()

    def run():
        return processes.run(command + [f"tasks={tasks}"], environment, LIMIT)

    result = redis.with_longest_script(run) if work.reads == "scripts" else run()
    if result.get("tasks") != tasks:
        raise Failed(f"{contender}, {work.name}: {result.get('tasks')} of {tasks} tasks were done")
    if work.reads == "memory":
        result["bytes_per_task"] = (redis.used_memory() - before) / tasks
        if result["bytes_per_task"] < 30:
            raise Failed(f"{contender}, {work.name}: the tasks are not stored")
    return result


def watch_idle(command, seconds, mode, redis):
    first = WORKER_STANDS[mode]
    with processes.Call(command + [f"seconds={LIMIT}"], redis.environment, LIMIT) as call:
        time.sleep(first)
        count = redis.commands_from_clients(seconds)
        if call.child.poll() is not None:
            call.result()
            raise Failed("the idle worker ended before its commands were counted")
    return {"tasks": 0, "seconds": seconds, "commands_per_s": count / seconds}


class Samples:
    """What came out: for each work and contender a list, one result a round."""

    def __init__(self):
        self.results = {}
        self.failures = []  # (contender, sentence)
        self.unknown = {}  # work -> the contender that cannot do it, as it is of an older version

    def of(self, work, contender):
        return self.results.get((work, contender), [])

    def fail(self, work, contender, why):
        # A contender that fails once is out of this work: what is left of it would not be from the same rounds.
        self.results[work, contender] = None
        self.failures.append((contender, str(why)))

    def leave_out(self, work, contender):
        self.unknown[work.name] = contender
        for each in work.calls:
            self.results[work.name, each] = None


class Progress:
    """One line on a terminal; elsewhere only the rounds."""

    def __init__(self):
        self.on = sys.stderr.isatty()

    def say(self, text):
        if self.on:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def repeat(works, contenders, mode, rounds, stores):
    """`stores`: name -> Redis. `contenders` may hold some that do not do every work."""
    samples, progress = Samples(), Progress()
    for turn in range(rounds):
        if not progress.on:
            print(f"bench: round {turn + 1} of {rounds} ...", file=sys.stderr, flush=True)
        for work in works:
            if turn and work.once or mode == "quick" and turn >= work.rounds_when_quick:
                continue
            for contender in contenders:
                of = samples.results.setdefault((work.name, contender), [])
                if contender not in work.calls or of is None:
                    continue
                if mode == "quick" and contender in PEERS and of:
                    continue
                progress.say(f"round {turn + 1} of {rounds}: {work.name}, {contender}")
                try:
                    of.append(do(work, contender, mode, stores[work.store]))
                except Unknown:
                    samples.leave_out(work, contender)
                except Failed as why:
                    samples.fail(work.name, contender, why)
    progress.say("")
    return samples
