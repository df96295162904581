"""Services that are killed and started again at the same address."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.request
from typing import Optional


class Server:
    def __init__(self, program: str, name_space: str) -> None:
        self._program = program
        self._environment = dict(os.environ, ERRAND_NAME_SPACE=name_space, ERRAND_LOG_LEVEL="error")
        self._process: Optional[subprocess.Popen[str]] = None
        self.port = 0
        self.start()

    def start(self) -> None:
        command = [self._program, "serve", "--json", "--no-console", "--access-log", "off"]
        command += ["--listen", f"127.0.0.1:{self.port}", "--stop-grace", "2s"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, env=self._environment, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"errand serve ended with {self._process.wait()}")
        self.url: str = json.loads(line)["listening"][0]
        self.port = int(self.url.rpartition(":")[2])

    def end(self, how: signal.Signals) -> None:
        assert self._process is not None and self._process.stdout is not None
        if self._process.poll() is not None:
            raise RuntimeError(f"errand serve ended by itself, with {self._process.returncode}")
        self._process.send_signal(how)
        code = self._process.wait(60)
        self._process.stdout.close()
        if code != (0 if how == signal.SIGTERM else -how):
            raise RuntimeError(f"errand serve ended with {code} when it was sent {how.name}")

    def until_ready(self) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(self.url + "/readyz", timeout=10):
                    return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError("a service is not ready for a minute")
