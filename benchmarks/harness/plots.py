"""The plots of the documentation: bars of errand, the floor and the peers, a group for each measure."""
import math
import os

from contenders import PEERS, TITLES
from svg import Drawing
from table import number

# File, title, measures.
PLOTS = [
    ("submit.svg", "Submitting, tasks a second", ["submit_one", "submit_one_socket", "submit_concurrent_50", "submit_bulk_1000"]),
    ("work.svg", "Working, tasks a second",
     ["drain_c10", "drain_c100", "life_sustained", "life_with_results", "life_aof_everysec", "promote_rate"]),
    ("latency.svg", "From submission to the start of the handler, ms",
     ["latency_idle_p50_ms", "latency_idle_p99_ms", "latency_1000_p50_ms", "latency_1000_p99_ms"]),
    ("cpu.svg", "CPU, microseconds a task", ["redis_cpu_life_us", "client_cpu_drain_us"]),
    ("memory.svg", "Memory of Redis, bytes a task",
     ["memory_ready_bytes", "memory_ready_bizid_bytes", "memory_delayed_bytes"]),
]

WIDTH, RIGHT, TOP = 760, 90, 52
BAR, STEP, GROUP = 14, 20, 34
LOG_FROM = 20  # between the largest and the smallest: what is further apart would not be seen on a linear scale


def bars(record):
    """(name, kind, value, min, max) of each contender."""
    yield TITLES["errand"], "own", record["value"], record["min"], record["max"]
    if record["floor"] is not None:
        yield TITLES["floor"], "floor", record["floor"], record["floor_min"], record["floor_max"]
    for name in PEERS:
        if one := record.get("peers", {}).get(name):
            yield TITLES[name], "peer", one["value"], one["min"], one["max"]


class Scale:
    """From a value to a place on the axis, and where its ticks are."""

    def __init__(self, values, left):
        self.left = left
        positive = [value for value in values if value > 0]
        self.most = max(positive, default=1)
        least = min(positive, default=1)
        self.is_log = self.most / least > LOG_FROM
        # A bar of a logarithmic scale has no natural beginning: this one starts at the power of ten below all.
        self.least = 10 ** math.floor(math.log10(least) - 1e-9) if self.is_log else 0

    def at(self, value):
        length = WIDTH - self.left - RIGHT
        if not self.is_log:
            return self.left + length * value / self.most
        part = math.log(max(value, self.least) / self.least) / math.log(self.most / self.least)
        return self.left + length * part

    def ticks(self):
        if self.is_log:
            first = round(math.log10(self.least))
            return [10.0 ** power for power in range(first, math.floor(math.log10(self.most)) + 1)]
        step = 10 ** math.floor(math.log10(self.most))
        step *= next(part for part in (0.2, 0.5, 1) if self.most / (step * part) <= 6 or part == 1)
        return [step * at for at in range(int(self.most / step) + 1)]


def draw_one(path, title, groups):
    left = 22 + 7 * max(len(bar[0]) for _, group in groups for bar in group)
    scale = Scale([value for _, group in groups for bar in group for value in bar[2:]], left)
    described = "; ".join(f"{name}: " + ", ".join(f"{who} {number(value)}" for who, _, value, *_ in group)
                          for name, group in groups)
    drawing = Drawing(title, described)
    bottom = TOP + sum(GROUP + STEP * len(group) for _, group in groups)
    drawing.text(12, 24, title, "title")
    legend = "bars: medians; lines: least to most" + ("; logarithmic scale" if scale.is_log else "")
    drawing.text(12, 41, legend, "faint")
    for tick in scale.ticks():
        drawing.line(scale.at(tick), TOP, scale.at(tick), bottom)
        drawing.text(scale.at(tick), bottom + 16, f"{tick:,.10g}", "faint", "middle")
    y = TOP
    for name, group in groups:
        drawing.text(left, y + 22, name)
        y += GROUP
        for who, kind, value, least, most in group:
            middle = y + BAR / 2
            drawing.text(left - 8, y + 11, who, anchor="end")
            drawing.bar(left, y, scale.at(value) - left, BAR, kind)
            drawing.line(scale.at(least), middle, scale.at(most), middle, "range")
            drawing.text(max(scale.at(most), scale.at(value)) + 6, y + 11, number(value))
            y += STEP
    drawing.save(path, WIDTH, bottom + 28)


def draw(records, directory):
    """Of the measures that were run; returns the files."""
    by_name = {record["name"]: record for record in records}
    os.makedirs(directory, exist_ok=True)
    made = []
    for file, title, names in PLOTS:
        groups = [(name, list(bars(by_name[name]))) for name in names if name in by_name]
        if groups:
            made.append(f"{directory}/{file}")
            draw_one(made[-1], title, groups)
    return made


def draw_scale(records, directory):
    groups = {}
    for one in records:
        if one["name"] == "life_sustained":
            bar = (f"{one['of']:,} {one['scale']}", "own", one["value"], one["min"], one["max"])
            groups.setdefault(one["name"], []).append(bar)
    path = f"{directory}/scale.svg"
    os.makedirs(directory, exist_ok=True)
    draw_one(path, "Whole lives a second, by what is stored and by who works", list(groups.items()))
    return path
