"""How many instructions a program executes for a task, which no other program on the machine changes."""
import os
import re
import shutil
import subprocess
import tempfile
from functools import cache

import processes
from contenders import PROGRAMS
from processes import Failed

LOG = "%LOG%"
# A counter of the processor where there is one, which virtual machines often have not; else it is counted one by one.
TOOLS = {
    "perf": (["perf", "stat", "-x,", "-e", "instructions:u", "-o", LOG], r"^(\d+),[^,]*,instructions"),
    "valgrind": (["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", f"--log-file={LOG}"],
                 r"I\s+refs:\s+([\d,]+)"),
}
WITHOUT = "nothing counts instructions here: perf has no counter, and valgrind is not installed or cannot run the programs"


def executed(tool, run):
    """What `run` returns when it is given the words that come before a command, and what was executed meanwhile."""
    words, pattern = TOOLS[tool]
    with tempfile.TemporaryDirectory(prefix="errand-count-") as folder:
        log = f"{folder}/log"
        result = run([word.replace(LOG, log) for word in words])
        with open(log) as file:
            found = re.search(pattern, file.read(), re.MULTILINE)
    return result, int(found[1].replace(",", "")) if found else 0


@cache
def tool():
    """The first that works with the program, which it asks for a measure that there is not; None: none does."""

    def refused(words):
        done = subprocess.run([*words, *PROGRAMS["errand"], "nothing"], capture_output=True, text=True)
        return "no such measure" in done.stderr

    for name in TOOLS:
        if not shutil.which(name):
            continue
        try:
            well, count = executed(name, refused)
        except OSError:
            continue
        if well and count:
            return name
    return None


def count(command, tasks, redis, limit):
    """By the difference of two runs: what the program does at its start and its end is in both."""
    name = tool()
    if not name:
        raise Failed(WITHOUT)
    few = max(1, tasks // 5)

    def of(number):
        redis.empty()
        result, executions = executed(
            name, lambda words: processes.run([*words, *command, f"tasks={number}"], redis.environment, limit))
        if result.get("tasks") != number:
            raise Failed(f"{os.path.basename(command[0])}: {result.get('tasks')} of {number} tasks were done")
        return executions

    return {"tasks": tasks, "instructions": (of(few + tasks) - of(few))}
