"""The Redis that is measured: a private one, or one that the user names."""
import os
import shutil
import socket
import subprocess
import tempfile
import time

import processes
from processes import Failed
from resp import Address, Connection, Refused

# What is shorter (us) does not enter the slow log.
LOGGED_SCRIPTS = {"slowlog-log-slower-than": 100, "slowlog-max-len": 2_000}


class Redis:
    """What both have. `environment` is what the measuring programs are told."""

    def __init__(self, address):
        self.address = address
        self.connection = Connection(address)
        about = self.connection.info("server")
        self.version = about["redis_version"]
        self.pid = int(about["process_id"])
        self.port = int(about["tcp_port"])
        self.is_local = False  # its process can be seen, so its CPU can be read
        self.serves_all = False  # it can be reached by the floor
        self.serves_peers = False

    def empty(self):
        self.connection.call("FLUSHALL", "SYNC")

    def used_memory(self):
        return int(self.connection.info("memory")["used_memory"])

    def commands_from_clients(self, seconds):
        # total_commands_processed also counts what scripts call; MONITOR tells them apart.
        watching = Connection(self.address, timeout=10)
        watching.call("MONITOR")
        end = time.monotonic() + seconds
        count = 0
        while (rest := end - time.monotonic()) > 0:
            watching.socket.settimeout(rest)
            try:
                data = watching.socket.recv(1 << 16)
            except TimeoutError:
                break
            if not data:
                raise Failed("Redis ended while its commands were counted")
            count += sum(b" lua] " not in line.split(b'"', 1)[0] for line in data.splitlines() if line[:1] == b"+")
        watching.close()
        return count

    def with_longest_script(self, run):
        """What `run` returns, and how many ms the longest script took meanwhile."""
        before = {name: self.connection.call("CONFIG", "GET", name)[1] for name in LOGGED_SCRIPTS}
        self.configure(LOGGED_SCRIPTS)
        try:
            self.connection.call("SLOWLOG", "RESET")
            result = run()
            # What a script calls stands in the log as well; only the script counts.
            took = [one[2] for one in self.connection.call("SLOWLOG", "GET", -1) if one[3][0].upper() == "EVALSHA"]
        finally:
            self.configure(before)
        return {**result, "longest_script_ms": max(took, default=LOGGED_SCRIPTS["slowlog-log-slower-than"]) / 1000}

    def configure(self, settings):
        for name, value in settings.items():
            self.connection.call("CONFIG", "SET", name, value)

    def close(self):
        self.connection.close()


class PrivateRedis(Redis):
    """Stopped by close(), and by the kernel when the harness dies."""

    def __init__(self, append_only=False):
        # The socket's path must be short; the append-only file belongs on a disk.
        os.makedirs("build/bench", exist_ok=True)
        self.sockets = tempfile.mkdtemp(prefix="errand-bench-")
        self.data = tempfile.mkdtemp(prefix="redis-", dir="build/bench")
        path = f"{self.sockets}/redis.sock"
        self.log = open(f"{self.data}/redis.log", "w+")
        self.child = processes.start(
            ["redis-server", "--port", str(free_port()), "--bind", "127.0.0.1", "--unixsocket", path,
             "--dir", self.data, "--save", "", "--appendonly", "yes" if append_only else "no",
             "--appendfsync", "everysec", "--maxmemory-policy", "noeviction", "--daemonize", "no"],
            stdout=self.log, stderr=self.log)
        try:
            self.wait_for(path)
            super().__init__(Address("redis+unix://" + path))
        except BaseException:
            self.stop()
            raise
        self.is_local = self.serves_all = self.serves_peers = True
        self.environment = {"BENCH_SOCKET": path, "BENCH_PORT": str(self.port), "BENCH_REDIS_PID": str(self.pid)}

    def wait_for(self, path):
        end = time.monotonic() + 10
        while time.monotonic() < end and self.child.poll() is None:
            try:
                Connection(Address("redis+unix://" + path)).close()
                return
            except OSError:
                time.sleep(0.02)
        self.log.seek(0)
        raise Failed("redis-server did not start: " + " ".join(self.log.read().splitlines()[-3:]))

    def stop(self):
        self.child.terminate()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            processes.kill_group(self.child)
            self.child.wait()
        self.log.close()
        shutil.rmtree(self.data, ignore_errors=True)
        shutil.rmtree(self.sockets, ignore_errors=True)

    def close(self):
        super().close()
        self.stop()


class GivenRedis(Redis):
    """Of --store. It is emptied before each measure, so it must be empty to begin with."""

    def __init__(self, url):
        try:
            super().__init__(Address(url))
        except (OSError, ValueError, Refused) as why:
            raise Failed(f"no Redis for the measures at {url}: {why}") from None
        if any(name.startswith("db") for name in self.connection.info("keyspace")):
            raise Failed(f"the Redis at {url} is not empty, and the measures would empty it: name one that is")
        self.is_local = self.address.is_loopback() and is_redis(self.pid)
        self.serves_all = self.address.plain() and (self.address.path is None or self.is_local and self.port > 0)
        self.environment = {"BENCH_STORE": url, "BENCH_PORT": str(self.address.port)}
        if self.address.host:
            self.environment["BENCH_HOST"] = self.address.host
        if self.is_local:
            self.use_process()

    def close(self):
        try:
            self.empty()
        finally:
            super().close()

    def use_process(self):
        """As a private one is used, as far as it listens on both."""
        self.environment["BENCH_REDIS_PID"] = str(self.pid)
        path = self.address.path or (self.connection.call("CONFIG", "GET", "unixsocket") or ["", ""])[1]
        self.serves_peers = bool(self.address.plain() and os.path.exists(path) and self.port > 0)
        if self.serves_peers:
            self.environment = {"BENCH_SOCKET": path, "BENCH_PORT": str(self.port), "BENCH_REDIS_PID": str(self.pid)}


def is_redis(pid):
    try:
        with open(f"/proc/{pid}/comm") as name:
            return name.read().startswith(("redis", "valkey"))
    except OSError:
        return False


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
