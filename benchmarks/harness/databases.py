"""A private database for a benchmark: a server of its own, or a SQLite file, with the durability that it has by default."""
import os
import select
import shutil
import subprocess
import tempfile

import processes
from processes import Failed

KINDS = ["sqlite", "postgres", "mysql"]
TITLES = {"sqlite": "SQLite", "postgres": "PostgreSQL", "mysql": "MariaDB"}
STARTS_WITHIN = 120  # seconds


class PrivateDatabase:
    """Stopped by close(), and by the kernel when the harness dies. `url` is what errand connects to."""

    def __init__(self, kind):
        # It says where the database is, and keeps it until its input ends.
        self.errors = tempfile.TemporaryFile("w+")
        self.child = processes.start(
            ["scripts/lib/with-database", kind, "sh", "-c", 'echo "$ERRAND_DATABASE"; cat >/dev/null'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env={**os.environ, "database_fsync": "on"})
        try:
            ready, _, _ = select.select([self.child.stdout], [], [], STARTS_WITHIN)
            self.url = self.child.stdout.readline().strip() if ready else ""
            if not self.url:
                self.errors.seek(0)
                raise Failed(f"{TITLES[kind]} did not start: " + " ".join(self.errors.read().splitlines()[-3:]))
        except BaseException:
            self.close()
            raise

    def close(self):
        try:
            self.child.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            processes.kill_group(self.child)
            self.child.wait()
        self.errors.close()


def version(kind):
    """As its program tells it."""
    if kind == "sqlite":
        import sqlite3
        return sqlite3.sqlite_version
    server = shutil.which("mariadbd", path=os.environ.get("PATH", "") + ":/usr/sbin") if kind == "mysql" else None
    if kind == "postgres":
        base = "/usr/lib/postgresql"
        newest = max(os.listdir(base), key=int, default=None) if os.path.isdir(base) else None
        server = newest and f"{base}/{newest}/bin/postgres"
    if not server:
        return "unknown"
    said = subprocess.run([server, "--version"], capture_output=True, text=True).stdout.split()
    words = [word for word in said if word[:1].isdigit()]
    return words[0].split("-")[0] if words else "unknown"
