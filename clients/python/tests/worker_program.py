"""A worker that tests kill and stop: worker_program.py URL NAMESPACE [NAME]. Says what it begins, line by line."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import errand  # noqa: E402

worker = errand.Worker(sys.argv[1], name_space=sys.argv[2], lease=1.0, stop_grace=0.0)


@worker.handler("hold")
def hold(what: str) -> str:
    task = errand.this_task()
    print("began", what, task.info.attempt, flush=True)
    task.sleep(600)
    return what


@worker.handler("count")
def count(number: int) -> int:
    print("began", number, errand.this_task().info.attempt, flush=True)
    return number


worker.run()
