"""Child processes that never outlive the harness."""
import ctypes
import json
import os
import signal
import subprocess

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


class Failed(Exception):
    """A sentence for the user."""


class Unknown(Failed):
    """The program does not know the measure."""


def start(command, **more):
    # A session of its own: Ctrl-C reaches the harness alone, which then ends all of them in order.
    return subprocess.Popen(command, start_new_session=True,
                            preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
                            **{"stdin": subprocess.DEVNULL, **more})


def kill_group(child):
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Call:
    """A measuring program at work; its answer is the last line of its output, read as JSON."""

    def __init__(self, command, environment, limit):
        self.what = " ".join(os.path.basename(word) for word in command)
        self.limit = limit
        try:
            self.child = start(command, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        except OSError as why:
            raise Failed(f"{self.what}: {why}") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        kill_group(self.child)  # also what a program left behind
        self.child.wait()
        self.child.stdout.close()
        self.child.stderr.close()

    def result(self):
        try:
            output, errors = self.child.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.what}: not done after {self.limit} s") from None
        if self.child.returncode != 0:
            said = errors.strip().splitlines() or [f"ended with {self.child.returncode} and said nothing"]
            kind = Unknown if "no such measure" in said[-1] else Failed
            raise kind(f"{self.what}: {said[-1]}")
        try:
            answer = json.loads(output.strip().splitlines()[-1])
        except (IndexError, ValueError):
            raise Failed(f"{self.what}: its last line is no JSON") from None
        return answer


def run(command, environment, limit):
    with Call(command, environment, limit) as call:
        return call.result()
