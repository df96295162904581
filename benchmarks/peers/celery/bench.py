#!/usr/bin/python3
"""Celery doing the measures of benchmarks/README.md: bench.py MEASURE [name=value ...]

At least once (late acknowledgement), without results, events, gossip, mingle and heartbeat. Threads, because the
handlers wait for nothing and processes of a pool cost more than they bring on a small machine.
"""
import base64
import glob
import json
import os
import subprocess
import sys
import threading
import time
import warnings

import redis
from celery import Celery
from celery.exceptions import SecurityWarning
from celery.worker import state

WARM_UP = 100
SOCKET = os.environ["BENCH_SOCKET"]
OVER_SOCKET = "redis+socket://" + SOCKET
OVER_TCP = "redis://127.0.0.1:" + os.environ["BENCH_PORT"] + "/0"

app = Celery("bench")
app.conf.update(
    broker_url=OVER_SOCKET,
    task_ignore_result=True,
    task_acks_late=True,
    worker_redirect_stdouts=False,  # the report goes there
)
warnings.simplefilter("ignore", SecurityWarning)  # about running as root, which a benchmark in a container does


class Tally:
    """What the handlers of a worker did."""

    def __init__(self):
        self.lock = threading.Lock()
        self.all = threading.Event()
        self.expected = None
        self.count = 0
        self.sum = 0
        self.delays = []

    def executed(self, argument):
        delay = time.monotonic_ns() - argument["at"] if "at" in argument else None
        with self.lock:
            self.count += 1
            self.sum += argument["id"]
            if delay is not None:
                self.delays.append(delay)
            if self.count == self.expected:
                self.all.set()


tally = Tally()


@app.task
def noop(argument):
    tally.executed(argument)


def fail(sentence):
    print("celery: " + sentence, file=sys.stderr, flush=True)
    os._exit(1)


def payload(number):
    return {"id": number, "name": "abcdefgh"}


def sum_of_ids(tasks):
    return tasks * (tasks + 1) // 2


def redis_cpu():
    paths = glob.glob("/proc/" + os.environ["BENCH_REDIS_PID"] + "/task/*/schedstat")
    return sum(int(open(path).read().split()[0]) for path in paths) / 1e9


class Stopwatch:
    def __init__(self):
        self.begin = time.monotonic_ns(), time.process_time(), redis_cpu()

    def spent(self):
        begin, client, server = self.begin
        return {
            "seconds": (time.monotonic_ns() - begin) / 1e9,
            "client_cpu": time.process_time() - client,
            "redis_cpu": redis_cpu() - server,
        }


def check_waiting(tasks):
    messages = redis.Redis(unix_socket_path=SOCKET).lrange("celery", 0, -1)
    ids = [json.loads(base64.b64decode(json.loads(message)["body"]))[0][0]["id"] for message in messages]
    if len(ids) != tasks or sum(ids) != sum_of_ids(tasks):
        fail(f"submitted {tasks} tasks, but {len(ids)} wait, with ids that make {sum(ids)}")


def submit_one(tasks, **_):
    app.conf.broker_url = OVER_TCP
    with app.producer_pool.acquire(block=True) as producer:
        producer.connection.ensure_connection()
    stopwatch = Stopwatch()
    for number in range(1, tasks + 1):
        noop.delay(payload(number))
    spent = stopwatch.spent()
    check_waiting(tasks)
    return {"tasks": tasks, **spent}


def exit_with_parent():
    sys.stdin.read()
    os._exit(1)


def work(tasks, concurrency, **_):
    """The worker's process: works from a line on stdin on, and reports when it has done all."""
    tally.expected = tasks
    report = {}
    worker = app.Worker(
        pool="threads", concurrency=concurrency, loglevel="ERROR", quiet=True,
        without_gossip=True, without_mingle=True, without_heartbeat=True,
    )
    print("ready", flush=True)
    sys.stdin.readline() or os._exit(1)
    threading.Thread(target=exit_with_parent, daemon=True).start()
    stopwatch = Stopwatch()

    def stop_when_done():
        tally.all.wait()
        report["spent"] = stopwatch.spent()
        state.should_stop = os.EX_OK  # the loop of the worker looks at it, and acknowledges before it ends

    threading.Thread(target=stop_when_done, daemon=True).start()
    worker.start()
    report.update(executed=tally.count, sum=tally.sum, delays=tally.delays)
    print(json.dumps(report), flush=True)
    os._exit(0)


def with_worker(tasks, concurrency, before, after):
    worker = subprocess.Popen(
        [sys.executable, __file__, "work", f"tasks={tasks}", f"concurrency={concurrency}"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )
    if worker.stdout.readline() != "ready\n":
        fail("the worker did not start")
    before()
    worker.stdin.write("go\n")
    worker.stdin.flush()
    after()
    line = worker.stdout.readline()
    if worker.wait() != 0 or not line:
        fail("the worker died")
    report = json.loads(line)
    store = redis.Redis(unix_socket_path=SOCKET)
    left = store.llen("celery") + store.hlen("unacked")
    if report["executed"] != tasks or report["sum"] != sum_of_ids(tasks) or left != 0:
        fail(f"{report['executed']} of {tasks} tasks were executed, with ids that make {report['sum']}, and {left} left")
    return report


def drain(tasks, concurrency, **_):
    def fill():
        with app.producer_pool.acquire(block=True) as producer:
            for number in range(1, tasks + 1):
                noop.apply_async((payload(number),), producer=producer)

    return {"tasks": tasks, **with_worker(tasks, concurrency, fill, lambda: None)["spent"]}


def latency(tasks, concurrency, rate):
    gap = 2_000_000 if rate == 0 else 1_000_000_000 // rate

    def submit_paced():
        following = time.monotonic_ns()
        for number in range(1, WARM_UP + tasks + 1):
            following += gap
            rest = following - time.monotonic_ns()
            if rest > 0:
                time.sleep(rest / 1e9)
            noop.delay({**payload(number), "at": time.monotonic_ns()})

    report = with_worker(WARM_UP + tasks, concurrency, lambda: None, submit_paced)
    delays = sorted(report["delays"][WARM_UP:])

    def ms(per_mille):
        return delays[min(tasks - 1, tasks * per_mille // 1000)] / 1e6

    return {"tasks": tasks, "p50_ms": ms(500), "p99_ms": ms(990)}


def main(measure="", *words):
    settings = {"tasks": 2000, "concurrency": 10, "rate": 0}
    for word in words:
        name, _, value = word.partition("=")
        if name not in settings or not value.isdigit():
            fail(f"'{word}' is no setting")
        settings[name] = int(value)
    if measure == "work":
        work(**settings)
    measures = {"submit_one": submit_one, "drain": drain, "latency": latency}
    if measure not in measures:
        fail(f"there is no measure '{measure}', only {', '.join(measures)}")
    print(json.dumps(measures[measure](**settings)))


if __name__ == "__main__":
    main(*sys.argv[1:])
