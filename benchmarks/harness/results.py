"""From samples to records, one a measure: what the tables print and results.jsonl keeps."""
import json
import os
from statistics import median

from contenders import PEERS


def values_of(measure, works, contender, samples):
    """One value a round; empty when a work is missing."""
    lists = [samples.of(work, contender) for work in works]
    if not all(lists):
        return []
    return [measure.value(*results) for results in zip(*lists)]


def summary(values):
    return {"value": median(values), "min": min(values), "max": max(values)}


def of_peer(measure, peer, samples):
    choices = [values_of(measure, works, peer, samples) for works in measure.for_peers or (measure.works,)]
    found = [summary(values) for values in choices if values]
    if not found:
        return None
    best = max if measure.better == "more" else min
    return best(found, key=lambda one: one["value"])


def record(measure, samples, about):
    values = values_of(measure, measure.works, "errand", samples)
    if not values:
        return None
    own = summary(values)
    made = {"name": measure.name, **own, "unit": measure.unit, "better": measure.better, "rounds": len(values),
            "floor": None, "ratio_floor": None}
    floor = values_of(measure, measure.floor_works or measure.works, "floor", samples)
    if floor:
        below = summary(floor)
        made |= {"floor": below["value"], "floor_min": below["min"], "floor_max": below["max"],
                 "ratio_floor": measure.ratio(own["value"], below["value"])}
    peers = {}
    for name in PEERS:
        if one := of_peer(measure, name, samples):
            peers[name] = {**one, "ratio": measure.ratio(own["value"], one["value"])}
    if peers:
        made["peers"] = peers
    for which in ("must", "aim"):
        target = getattr(measure, which)
        if target is not None:
            made |= {which: target, f"{which}_reached": measure.reaches(own["value"], made["floor"], target)}
    if measure.must is not None:
        made["must_of"] = "floor" if measure.of_floor else measure.unit
    return made | about


def rounded(of):
    if isinstance(of, float):
        return float(f"{of:.6g}")
    if isinstance(of, dict):
        return {key: rounded(value) for key, value in of.items()}
    return of


def write(path, records, beside=lambda one: False):
    """`beside`: which of those that are there stay."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    kept = [one for one in read(path) if beside(one)] if os.path.exists(path) else []
    with open(path, "w") as file:
        for one in kept + records:
            file.write(json.dumps(rounded(one)) + "\n")


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file]
