"""What a figure depends on besides the code."""
import os
import subprocess
from datetime import date


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True).stdout.strip()


def commit():
    changed = git("status", "--porcelain", "--untracked-files=no")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + ("+changes" if changed else "")


def processor():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return os.uname().machine


def load():
    """Processes that ran on average in the last minute: those of others, before a run."""
    return os.getloadavg()[0]


def about(redis, mode):
    return {"commit": commit(), "redis": redis.version, "mode": mode, "date": date.today().isoformat(),
            "machine": f"{os.cpu_count()} x {processor()}", "load": round(load(), 2)}
