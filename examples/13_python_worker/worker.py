"""Runs the tasks that main.cpp awaits: worker.py URL, where `errand serve` is. PYTHONPATH names clients/python/src."""

import statistics
import sys
from typing import Any, Dict, List

import errand

worker = errand.Worker(sys.argv[1], queues=["python"])


@worker.handler("summarize")
def summarize(words: List[str]) -> Dict[str, Any]:
    task = errand.this_task()
    task.log(f"attempt {task.info.attempt}: {len(words)} words")
    lengths = [len(one) for one in words]
    return {
        "mean": statistics.mean(lengths),
        "median": statistics.median(lengths),
        "most_common": statistics.mode(words),
    }


worker.run()  # until SIGTERM
