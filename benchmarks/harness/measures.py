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
    of_floor: bool = False  # the targets are the value as a part of the floor's
    floor_works: tuple = field(default=())  # what the floor does beside it, where that is not the same
    reads_cpu: bool = False  # of Redis, which only a local process shows

    def ratio(self, value, other):
        """Above 1: `value` is better."""
        above, below = (value, other) if self.better == "more" else (other, value)
        return above / below if below else None

    def reaches(self, value, floor, target):
        if target is None or self.of_floor and not floor:
            return None
        if self.of_floor:
            value /= floor
        return value >= target if self.better == "more" else value <= target


def rate(result):
    return result["tasks"] / result["seconds"]


def redis_us(result):
    return result["redis_cpu"] / result["tasks"] * 1e6


def client_us(result):
    return result["client_cpu"] / result["tasks"] * 1e6


def over_plain(limited, submit, drain):
    return redis_us(limited) - redis_us(submit) - redis_us(drain)


def part_of(figure):
    """The figure of one work as a part of that of another."""
    return lambda one, other: figure(one) / figure(other)


def instructions(result):
    return result["instructions"] / result["tasks"]


def of(key):
    return lambda result: result[key]


DRAINS = (("drain_c100",), ("drain_c10",))
LIVES = tuple((submit, drain) for submit in ("submit_bulk_1000", "submit_one") for drain in ("drain_c100", "drain_c10"))
BYTES = of("bytes_per_task")
PLAIN = ("submit_bulk_1000", "drain_c100")

MEASURES = [
    Measure("submit_one", "tasks/s", "more", ("submit_one",), rate, must=0.85, aim=1.0, of_floor=True),
    Measure("submit_one_socket", "tasks/s", "more", ("submit_one_socket",), rate, must=0.85, aim=1.0, of_floor=True),
    Measure("submit_concurrent_50", "tasks/s", "more", ("submit_concurrent_50",), rate, must=1.0, aim=1.3, of_floor=True),
    Measure("submit_bulk_1000", "tasks/s", "more", ("submit_bulk_1000",), rate, must=0.95, aim=1.0, of_floor=True),
    Measure("drain_c10", "tasks/s", "more", ("drain_c10",), rate, must=0.7, aim=0.9, of_floor=True),
    Measure("drain_c100", "tasks/s", "more", ("drain_c100",), rate, DRAINS, must=0.85, aim=0.95, of_floor=True),
    Measure("life_sustained", "tasks/s", "more", ("life",), rate, must=0.75, aim=0.9, of_floor=True),
    # The floor has no results: 120,000 a second where it drains 380,000.
    Measure("life_with_results", "tasks/s", "more", ("life_with_results",), rate, must=0.316, of_floor=True,
            floor_works=("drain_c100",)),
    Measure("life_with_results_part", "of life", "more", ("life_with_results", "life"), part_of(rate), must=0.5),
    Measure("life_encrypted", "tasks/s", "more", ("life_encrypted",), rate),
    Measure("redis_cpu_life_us", "us/task", "less", PLAIN,
            lambda submit, drain: redis_us(submit) + redis_us(drain), LIVES, must=1.15, aim=1.05, of_floor=True,
            reads_cpu=True),
    Measure("client_cpu_drain_us", "us/task", "less", ("drain_c100",), client_us, DRAINS, must=1.5, aim=1),
    Measure("drain_instructions", "instructions/task", "less", ("count_drain", "count_bulk"),
            lambda both, filling: instructions(both) - instructions(filling), must=9_000, aim=6_000),
    Measure("latency_idle_p50_ms", "ms", "less", ("latency_idle",), of("p50_ms"), must=1.6, aim=1.3, of_floor=True),
    Measure("latency_idle_p99_ms", "ms", "less", ("latency_idle",), of("p99_ms"), must=1.5, aim=1.2, of_floor=True),
    Measure("latency_1000_p50_ms", "ms", "less", ("latency_1000",), of("p50_ms"), must=0.20, aim=0.10),
    Measure("latency_1000_p99_ms", "ms", "less", ("latency_1000",), of("p99_ms"), must=0.6, aim=0.25),
    Measure("life_aof_everysec", "tasks/s", "more", ("life_append_only",), rate, must=0.75, of_floor=True),
    Measure("queues_100_latency_p50", "of one's", "less", ("latency_queues_100", "latency_idle"), part_of(of("p50_ms")),
            must=1.3),
    Measure("queues_100_redis_cpu", "of one's", "less", ("life_queues_100", "life"), part_of(redis_us), must=1.3,
            reads_cpu=True),
    Measure("shards_3_per_redis_cpu", "of one's", "more", ("life_shards_3", "life"),
            lambda three, one: redis_us(one) / redis_us(three), must=0.8, reads_cpu=True),
    Measure("chain_link_ms", "ms/link", "less", ("chain",), lambda result: result["seconds"] / result["tasks"] * 1e3,
            must=0.3),
    Measure("fan_out_redis_us", "us/task", "less", ("fan_out",), redis_us, must=8, reads_cpu=True),
    Measure("fan_in_redis_us", "us/task", "less", ("fan_in",), redis_us, must=8, reads_cpu=True),
    Measure("stages_10", "tasks/s", "more", ("stages",), rate, must=12_000),
    Measure("idle_commands_per_s", "commands/s", "less", ("idle",), of("commands_per_s"), must=2, aim=1),
    Measure("idle_commands_beside_schedules", "commands/s", "less", ("idle_beside_schedules",), of("commands_per_s"),
            must=2, aim=1),
    Measure("limited_life", "us/task", "less", ("limited_life",), redis_us, reads_cpu=True),
    Measure("limited_life_over_plain", "us/task", "less", ("limited_life", *PLAIN), over_plain, must=25, reads_cpu=True),
    Measure("keyed_life_1000", "us/task", "less", ("keyed_life_1000",), redis_us, reads_cpu=True),
    Measure("keyed_life_1000_over_plain", "us/task", "less", ("keyed_life_1000", *PLAIN), over_plain, must=25, reads_cpu=True),
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
    Measure("memory_delayed_bytes", "B/task", "less", ("memory_delayed",), BYTES, must=220, aim=200),
    Measure("promote_rate", "tasks/s", "more", ("promote",), rate),
    Measure("scale_threads_2", "x", "more", ("drain_threads_2", "drain_c100"), lambda two, one: rate(two) / rate(one)),
]
BY_NAME = {one.name: one for one in MEASURES}

# The absolute targets are for a machine on which the floor drains so many tasks a second.
FLOOR_OF_TARGETS = 380_000
