"""What is done: pieces of work, each with what every contender is told and how many tasks it gets.

A contender gets as many tasks as keep it busy for a second or so; rates and costs are per task.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    name: str
    calls: dict  # contender -> (words for its program, tasks in a full run)
    # What is looked at: the program's result, with how long scripts took; the instructions it executed; the memory or the
    # commands of Redis.
    reads: str = "result"
    beside: tuple = ()  # what is stored before: words for the program, tasks in a full run and in a quick one
    store: str = "plain"  # or append_only
    shards: int = 1
    once: bool = False  # comes out the same each time, and takes long
    quick: int = 6  # a quick run has so many times fewer tasks,
    smoke: int = 100  # and a smoke run
    rounds_when_quick: int = 3

    def tasks(self, contender, mode):
        full = self.calls[contender][1]
        return max(1, full // {"full": 1, "quick": self.quick, "smoke": self.smoke}[mode])

    def tasks_beside(self, mode):
        return self.beside[1] // {"full": 1, "quick": 1, "smoke": 100}[mode]


def drain(concurrency, errand_tasks, floor_tasks, batch, **peers):
    # The floor has as many tasks in hand: two batches in flight.
    return {
        "errand": (f"drain concurrency={concurrency}", errand_tasks),
        "floor": (f"drain batch={batch} inflight=2", floor_tasks),
        **{peer: (f"drain concurrency={concurrency}", tasks) for peer, tasks in peers.items()},
    }


def same(words, **tasks):
    return {contender: (words, count) for contender, count in tasks.items()}


LIFE = {"errand": ("life", 400_000), "floor": ("life batch=50 inflight=4", 400_000)}

# 2^20 buckets of a hash table hold a million tasks when they are nearly full: tables double, so other numbers of tasks
# cost up to twice the 8 bytes a bucket in each table.
MEMORY = dict(reads="memory", quick=10, rounds_when_quick=1)

# So many tasks are few enough for a program that runs fifty times slower.
COUNT = dict(reads="instructions", quick=1, smoke=50, rounds_when_quick=1, once=True)

WORKS = [
    Work("submit_one", {
        "errand": ("submit callers=1", 30_000), "floor": ("round_trip", 30_000),
        **same("submit_one", bullmq=15_000, sidekiq=15_000, celery=5_000, beanstalkd=30_000)}),
    Work("submit_one_socket", {"errand": ("submit_socket", 30_000), "floor": ("round_trip_socket", 30_000)}),
    Work("submit_concurrent_50", {
        "errand": ("submit callers=50", 300_000), "floor": ("submit batch=50 inflight=1", 300_000),
        **same("submit_concurrent_50", bullmq=40_000, beanstalkd=60_000)}),
    Work("submit_bulk_1000", {
        "errand": ("bulk size=1000", 400_000), "floor": ("submit batch=500 inflight=2", 400_000),
        **same("submit_bulk_1000", bullmq=40_000, sidekiq=100_000, beanstalkd=100_000)}),
    Work("drain_c10", drain(10, 300_000, 300_000, 5, bullmq=30_000, sidekiq=20_000, celery=3_000, beanstalkd=100_000)),
    Work("drain_c100",
         drain(100, 400_000, 400_000, 50, bullmq=30_000, sidekiq=20_000, celery=3_000, beanstalkd=100_000)),
    Work("drain_threads_2", {"errand": ("drain concurrency=100 threads=2", 400_000)}),
    Work("life", LIFE),
    Work("life_with_results", {"errand": ("life results=1", 100_000)}),
    Work("life_encrypted", {"errand": ("life encrypted=1", 200_000)}),
    Work("life_append_only", LIFE, store="append_only"),
    Work("life_queues_100", {"errand": ("life queues=100", 400_000)}),
    Work("life_shards_3", {"errand": ("life", 400_000)}, shards=3),
    # The difference of two, so that filling the queue does not count.
    Work("count_drain", {"errand": ("drain concurrency=100", 10_000)}, **COUNT),
    Work("count_bulk", {"errand": ("bulk size=1000", 10_000)}, **COUNT),
    Work("latency_idle", {
        **same("latency", errand=2_000, floor=2_000),
        **same("latency rate=0", bullmq=2_000, sidekiq=2_000, celery=2_000, beanstalkd=2_000)}),
    Work("latency_queues_100", {"errand": ("latency queues=100", 2_000)}),
    Work("latency_1000", same("latency rate=1000", errand=3_000, bullmq=3_000, sidekiq=3_000, celery=3_000,
                              beanstalkd=3_000)),
    Work("promote", {"errand": ("promote", 100_000)}),
    Work("chain", {"errand": ("depend chain=1", 5_000)}),
    Work("fan_out", {"errand": ("depend", 100_000)}),
    Work("fan_in", {"errand": ("depend in=1", 100_000)}),
    Work("stages", {"errand": ("stages", 20_000)}),
    Work("idle", {"errand": ("idle", 10)}, reads="commands", quick=2, smoke=10, rounds_when_quick=1),  # seconds
    Work("idle_beside_schedules", {"errand": ("idle", 10)}, reads="commands", beside=("throng", 10_000),  # seconds
         quick=2, smoke=10, rounds_when_quick=1),
    Work("limited_life", {"errand": ("limited_life", 200_000)}),
    Work("keyed_life_1000", {"errand": ("limited_life keys=1000", 200_000)}),
    Work("keyed_life_100000", {"errand": ("limited_life keys=100000", 400_000)}, quick=2, rounds_when_quick=1),
    Work("fire", {"errand": ("fire", 1_000)}, reads="scripts", quick=1, smoke=10),
    Work("collect", {"errand": ("collect", 100_000)}, quick=5),  # full bundles of 100, also in a smaller run
    Work("memory_ready", {
        "errand": ("bulk size=1000", 1_000_000), "floor": ("submit batch=500 inflight=2", 1_000_000),
        **same("submit_bulk_1000", bullmq=100_000, sidekiq=100_000)}, **MEMORY),
    Work("memory_ready_bizid", {"errand": ("bulk size=1000 biz_id=1", 1_000_000)}, **MEMORY),
    Work("memory_delayed", {"errand": ("bulk size=1000 delayed=1", 1_000_000)}, **MEMORY),
]
