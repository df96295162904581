"""What the tests share: a real `errand serve` on the store that ERRAND_STORE names, and a line that loses answers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import errand as errand  # noqa: E402

PROGRAM = os.environ["ERRAND_PROGRAM"]
PATIENCE = 60.0
"""Seconds after which something that is to come does not come."""


class Server:
    def __init__(self, name_space: str, listen: str = "127.0.0.1:0", *options: str) -> None:
        self.name_space = name_space
        self._listen = listen
        self._options = options
        self.start()

    def start(self) -> None:
        environment = dict(os.environ, ERRAND_NAME_SPACE=self.name_space, ERRAND_LOG_LEVEL="error")
        command = [PROGRAM, "serve", "--json", "--access-log", "off", "--listen", self._listen, *self._options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"errand serve ended with {self.process.wait()}")
        self.url: str = json.loads(line)["listening"][0]
        if self.url.startswith("http://"):
            self._listen = self.url[len("http://") :]  # the same one, when it is started again

    def kill(self) -> None:
        self.process.kill()
        self._end()

    def stop(self) -> None:
        self.process.terminate()
        self._end()

    def _end(self) -> None:
        self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()


class Gate:
    """Stands between a client and a server, and loses the answer to a request that has `marked` in it when told so."""

    def __init__(self, url: str) -> None:
        host, _, port = url[len("http://") :].rpartition(":")
        self._to = (host, int(port))
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        self._guard = threading.Lock()
        self._marked: Optional[bytes] = None
        self.lost: List[bytes] = []
        """Answers that did not arrive."""
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_answer_to(self, marked: bytes) -> None:
        with self._guard:
            self._marked = marked

    def close(self) -> None:
        self._door.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._door.accept()
                threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        # One request after the other: both sides take turns.
        with near, socket.create_connection(self._to) as far, contextlib.suppress(OSError):
            while True:
                request = _message(near)
                if not request:
                    return
                far.sendall(request)
                answer = _message(far)
                with self._guard:
                    lose = self._marked is not None and self._marked in request
                    if lose:
                        self._marked = None
                        self.lost.append(answer)
                if lose or not answer:
                    return
                near.sendall(answer)


def _message(of: socket.socket) -> bytes:
    """One request or answer with its body."""
    got = b""
    while b"\r\n\r\n" not in got:
        more = of.recv(65536)
        if not more:
            return b""
        got += more
    head, _, body = got.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    while len(body) < length:
        body += of.recv(65536)
    return head + b"\r\n\r\n" + body


class Case(unittest.TestCase):
    """A namespace and a server of its own for each test."""

    options: List[str] = []

    def setUp(self) -> None:
        self.server = Server("py" + uuid.uuid4().hex[:12], "127.0.0.1:0", *self.options)
        self.addCleanup(self.server.stop)
        self.client = self.connect()

    def connect(self, url: Optional[str] = None, **options: Any) -> errand.Client:
        client = errand.Client(url or self.server.url, name_space=self.server.name_space, **options)
        self.addCleanup(client.close)
        return client

    def gate(self) -> Gate:
        gate = Gate(self.server.url)
        self.addCleanup(gate.close)
        return gate

    def worker(self, url: Optional[str] = None, **options: Any) -> errand.Worker:
        options = {"lease": 30.0, "heartbeat": 0.1, **options}
        return errand.Worker(url or self.server.url, name_space=self.server.name_space, **options)

    @contextlib.contextmanager
    def running(self, worker: errand.Worker) -> Iterator[errand.Worker]:
        failures: List[BaseException] = []

        def run() -> None:
            try:
                asyncio.run(worker.serve())
            except BaseException as why:
                failures.append(why)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield worker
        finally:
            worker.stop()
            thread.join(PATIENCE)
        if failures:
            raise failures[0]

    def program(self, *arguments: str, url: Optional[str] = None) -> subprocess.Popen[str]:
        """tests/worker_program.py, a worker in a process of its own; its lines of output can be awaited."""
        command = [sys.executable, str(Path(__file__).parent / "worker_program.py")]
        process = subprocess.Popen(
            [*command, url or self.server.url, self.server.name_space, *arguments], stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(_end, process)
        return process

    def folder(self) -> str:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        return place.name

    def until(self, reached: Callable[[], Any]) -> Any:
        """What it returns once that is true."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            got = reached()
            if got:
                return got
            time.sleep(0.02)
        self.fail("it did not come")


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
