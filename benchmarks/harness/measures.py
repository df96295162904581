"""What is told: each measure is computed from one or more pieces of work of the same contender and round."""
from dataclasses import dataclass, field
from typing import Callable, Optional


@dataclass(frozen=True)
class Measure:
    name: str
    unit: str
    better: str  # "more" or "less"
    works: tuple
    value: Callable  # of the results of these works
    # Other works that count for a peer too: the best of its settings stands for it.
    for_peers: tuple = field(default=())
    must: Optional[float] = None
    aim: Optional[float] = None
    of_floor: bool = False  # the targets are parts of the floor instead of numbers
    reads_cpu: bool = False  # of Redis, which only a local process shows

    def ratio(self, value, other):
        """Above 1: `value` is better."""
        above, below = (value, other) if self.better == "more" else (other, value)
        return above / below if below else None

    def reaches(self, value, ratio_floor, target):
        if target is None or self.of_floor and ratio_floor is None:
            return None
        if self.of_floor:
            return ratio_floor >= target
        return value >= target if self.better == "more" else value <= target


def rate(result):
    return result["tasks"] / result["seconds"]


def redis_us(result):
    return result["redis_cpu"] / result["tasks"] * 1e6


def client_us(result):
    return result["client_cpu"] / result["tasks"] * 1e6


def over_plain(limited, submit, drain):
    return redis_us(limited) - redis_us(submit) - redis_us(drain)


def of(key):
    return lambda result: result[key]


DRAINS = (("drain_c100",), ("drain_c10",))
LIVES = tuple((submit, drain) for submit in ("submit_bulk_1000", "submit_one") for drain in ("drain_c100", "drain_c10"))
BYTES = of("bytes_per_task")
PLAIN = ("submit_bulk_1000", "drain_c100")

MEASURES = [
    Measure("submit_one", "tasks/s", "more", ("submit_one",), rate, must=0.9, aim=1.0, of_floor=True),
    Measure("submit_concurrent_50", "tasks/s", "more", ("submit_concurrent_50",), rate, must=200_000, aim=320_000),
    Measure("submit_bulk_1000", "tasks/s", "more", ("submit_bulk_1000",), rate, must=350_000, aim=600_000),
    Measure("drain_c10", "tasks/s", "more", ("drain_c10",), rate),
    Measure("drain_c100", "tasks/s", "more", ("drain_c100",), rate, DRAINS, must=250_000, aim=450_000),
    Measure("life_sustained", "tasks/s", "more", ("life",), rate, must=150_000, aim=300_000),
    Measure("life_with_results", "tasks/s", "more", ("life_with_results",), rate),
    Measure("life_encrypted", "tasks/s", "more", ("life_encrypted",), rate),
    Measure("redis_cpu_life_us", "us/task", "less", PLAIN,
            lambda submit, drain: redis_us(submit) + redis_us(drain), LIVES, must=5, aim=3, reads_cpu=True),
    Measure("client_cpu_drain_us", "us/task", "less", ("drain_c100",), client_us, DRAINS, must=3, aim=1.5),
    Measure("latency_idle_p50_ms", "ms", "less", ("latency_idle",), of("p50_ms"), must=0.20, aim=0.10),
    Measure("latency_idle_p99_ms", "ms", "less", ("latency_idle",), of("p99_ms"), must=0.6, aim=0.25),
    Measure("latency_1000_p50_ms", "ms", "less", ("latency_1000",), of("p50_ms"), must=0.20, aim=0.10),
    Measure("latency_1000_p99_ms", "ms", "less", ("latency_1000",), of("p99_ms"), must=0.6, aim=0.25),
    Measure("idle_commands_per_s", "commands/s", "less", ("idle",), of("commands_per_s"), must=2, aim=1),
    Measure("idle_commands_beside_schedules", "commands/s", "less", ("idle_beside_schedules",), of("commands_per_s"),
            must=2, aim=1),
    Measure("limited_life", "us/task", "less", ("limited_life",), redis_us, reads_cpu=True),
    Measure("limited_life_over_plain", "us/task", "less", ("limited_life", *PLAIN), over_plain, must=25, reads_cpu=True),
    Measure("keyed_life_1000", "us/task", "less", ("keyed_life_1000",), redis_us, reads_cpu=True),
    Measure("keyed_life_100000", "us/task", "less", ("keyed_life_100000",), redis_us, reads_cpu=True),
    Measure("keyed_life_100000_over_plain", "us/task", "less", ("keyed_life_100000", *PLAIN), over_plain, must=25,
            reads_cpu=True),
    # A Redis elsewhere may refuse to log its scripts.
    Measure("fire_rate", "schedules/s", "more", ("fire",), rate, reads_cpu=True),
    Measure("fire_1000_redis_ms", "ms", "less", ("fire",), redis_us, must=50, reads_cpu=True),  # us of one, ms of 1,000
    Measure("fire_longest_script_ms", "ms", "less", ("fire",), of("longest_script_ms"), must=5, reads_cpu=True),
    Measure("collect_rate", "items/s", "more", ("collect",), rate),
    Measure("collect_redis_us", "us/item", "less", ("collect",), redis_us, reads_cpu=True),
    Measure("memory_ready_bytes", "B/task", "less", ("memory_ready",), BYTES, must=200, aim=160),
    Measure("memory_ready_bizid_bytes", "B/task", "less", ("memory_ready_bizid",), BYTES, must=320, aim=200),
    Measure("memory_delayed_bytes", "B/task", "less", ("memory_delayed",), BYTES, must=300, aim=200),
    Measure("promote_rate", "tasks/s", "more", ("promote",), rate),
    Measure("life_aof_everysec", "tasks/s", "more", ("life_append_only",), rate),
    Measure("scale_threads_2", "x", "more", ("drain_threads_2", "drain_c100"), lambda two, one: rate(two) / rate(one)),
]
BY_NAME = {one.name: one for one in MEASURES}

# The absolute targets are for a machine on which the floor drains so many tasks a second.
FLOOR_OF_TARGETS = 600_000
