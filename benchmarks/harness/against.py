"""errand beside itself: another build, such as the one before a change, or the same one without what is asked about. Each piece of
work by both in turn."""
from statistics import median

import results
from contenders import PROGRAMS
from rounds import repeat
from table import as_text, number, ratio
from works import Work

# Of seven rounds the median stands when three of them fell into a bad moment of the machine.
ROUNDS = {"full": 7, "quick": 7, "smoke": 1}


# Where a worker under measure shows its metrics, should it be told to.
SHOWN_AT = "127.0.0.1:9464"


def beside(works, directory):
    """The works with a second contender, `before`, that does what errand does: as it was built in `directory`, or without one as it is,
    while errand itself shows its metrics."""
    if directory:
        PROGRAMS["before"] = [f"{directory}/build/bench/benchmarks/load"]
    else:
        PROGRAMS["before"] = PROGRAMS["errand"]
        PROGRAMS["errand"] = ["/usr/bin/env", f"BENCH_METRICS={SHOWN_AT}", *PROGRAMS["errand"]]
    made = []
    for work in works:
        if "errand" in work.calls:
            calls = {"errand": work.calls["errand"], "before": work.calls["errand"]}
            rounds = ROUNDS["quick"] if work.rounds_when_quick > 1 else 1
            made.append(Work(**{**vars(work), "calls": calls, "rounds_when_quick": rounds}))
    return made


def measure(measures, works, directory, mode, stores):
    """Rows: each measure of both, and how they compare; what is left out; and what failed."""
    samples = repeat(beside(works, directory), ["before", "errand"], mode, ROUNDS[mode], stores)
    names = ("before", "now") if directory else ("without", "with metrics")
    rows = [["measure", "unit", names[0], "min – max", names[1], "min – max", f"{names[1]} to {names[0]}"]]
    for one in measures:
        before, now = (results.values_of(one, one.works, who, samples) for who in ("before", "errand"))
        if before and now:
            rows.append([one.name, one.unit, number(median(before)), f"{number(min(before))} – {number(max(before))}",
                         number(median(now)), f"{number(min(now))} – {number(max(now))}",
                         ratio(one.ratio(median(now), median(before)))])
    text = as_text(rows, 2) + f"\n\nAbove 1 says that it is better {names[1]}."
    left_out = [one.name for one in measures if any(work in samples.unknown for work in one.works)]
    if left_out:
        text += f"\nleft out: {', '.join(left_out)}: the programs in {directory} do not know them"
    return text, samples.failures
