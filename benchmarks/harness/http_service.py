"""`errand serve` on a Redis, on ports of its own."""
import json
import os
import select
import subprocess
import tempfile
import urllib.request

import processes
from contenders import BUILT
from processes import Failed

STARTS_WITHIN = 30  # seconds
ENDS_WITHIN = 30


class Service:
    """Stopped by close(), and by the kernel when the harness dies. `environment` is what the measuring program is told."""

    def __init__(self, redis, waiting, connections):
        # As it is by default, but that nobody reads a line for each request.
        command = [f"{BUILT}/errand", "serve", "--json", "--access-log", "off", "--listen", "127.0.0.1:0",
                   "--lmstfy", "127.0.0.1:0", "--lmstfy-admin", "127.0.0.1:0",
                   "--max-waiting", str(waiting), "--max-connections", str(connections)]
        self.errors = tempfile.TemporaryFile("w+")
        try:
            self.child = processes.start(
                command, stdout=subprocess.PIPE, stderr=self.errors, text=True,
                env={**os.environ, "ERRAND_STORE": "redis+unix://" + redis.address.path, "ERRAND_LOG_LEVEL": "error"})
        except OSError as why:
            self.errors.close()
            raise Failed(f"errand serve: {why}") from None
        try:
            at = json.loads(self.first_line())
            self.environment = {"BENCH_SERVICE_PID": str(self.child.pid),
                                "BENCH_REST_PORT": port_of(at["listening"]), "BENCH_LMSTFY_PORT": port_of(at["lmstfy"]),
                                "BENCH_LMSTFY_TOKEN": fresh_token(at["lmstfy_admin"][0])}
        except BaseException:
            self.close()
            raise

    def first_line(self):
        ready, _, _ = select.select([self.child.stdout], [], [], STARTS_WITHIN)
        line = self.child.stdout.readline() if ready else ""
        if line:
            return line
        self.errors.seek(0)
        raise Failed("errand serve did not start: " + " ".join(self.errors.read().splitlines()[-3:]))

    def close(self):
        self.child.terminate()
        try:
            self.child.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            processes.kill_group(self.child)
            self.child.wait()
        self.child.stdout.close()
        self.errors.close()


def port_of(addresses):
    return addresses[0].rsplit(":", 1)[1]


def fresh_token(admin):
    # Whatever stands before the web elsewhere, this is on this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    asked = urllib.request.Request(admin + "/token/default?description=bench", method="POST")
    try:
        with opener.open(asked, timeout=STARTS_WITHIN) as answer:
            return json.load(answer)["token"]
    except OSError as why:
        raise Failed(f"errand serve makes no token: {why}") from None
