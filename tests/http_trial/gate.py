"""A line between clients and a service that is cut and slowed down when it is told so."""

from __future__ import annotations

import contextlib
import random
import socket
import struct
import threading
import time
from collections import Counter
from typing import List, Tuple

# What happens to the next bytes that pass.
REQUEST_LOST = "request_lost"
"""The connection ends before the service has the whole request."""
ANSWER_LOST = "answer_lost"
"""The service has answered, and nobody hears it."""
ANSWER_TORN = "answer_torn"
"""The connection ends within the answer."""
READER_SLOW = "reader_slow"
"""The client takes its answer late, and in small pieces."""
kinds = (REQUEST_LOST, ANSWER_LOST, ANSWER_TORN, READER_SLOW)


class Gate:
    def __init__(self, port: int, chance: random.Random) -> None:
        self._to = port
        self._chance = chance
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        self._guard = threading.Lock()
        self._due: Counter[str] = Counter()
        self._open: List[Tuple[socket.socket, socket.socket]] = []
        self.struck: Counter[str] = Counter()
        threading.Thread(target=self._accept, daemon=True).start()

    def strike(self, kind: str, times: int) -> None:
        with self._guard:
            self._due[kind] += times

    def calm(self) -> None:
        with self._guard:
            self._due.clear()

    def cut_all(self) -> None:
        with self._guard:
            open_now, self._open = self._open, []
        for near, far in open_now:
            self._end(near, far)

    def close(self) -> None:
        self._door.close()
        self.cut_all()

    def _takes(self, *of: str) -> str:
        with self._guard:
            for kind in of:
                if self._due[kind] > 0:
                    self._due[kind] -= 1
                    self.struck[kind] += 1
                    return kind
        return ""

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._door.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self._to))
                except OSError:
                    near.close()
                    continue
                for one in (near, far):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self._guard:
                    self._open.append((near, far))
                threading.Thread(target=self._requests, args=(near, far), daemon=True).start()
                threading.Thread(target=self._answers, args=(near, far), daemon=True).start()

    def _requests(self, near: socket.socket, far: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := near.recv(65536):
                if self._takes(REQUEST_LOST):
                    far.sendall(part[: self._chance.randrange(len(part))])
                    break
                far.sendall(part)
        self._end(near, far)

    def _answers(self, near: socket.socket, far: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := far.recv(65536):
                what = self._takes(ANSWER_LOST, ANSWER_TORN, READER_SLOW)
                if what == ANSWER_LOST:
                    break
                if what == ANSWER_TORN:
                    near.sendall(part[: self._chance.randrange(len(part))])
                    break
                if what == READER_SLOW:
                    for at in range(0, len(part), 200):
                        time.sleep(self._chance.uniform(0, 0.3))
                        near.sendall(part[at : at + 200])
                    continue
                near.sendall(part)
        self._end(near, far)

    def _end(self, near: socket.socket, far: socket.socket) -> None:
        # As a machine that goes, or as a program that ends.
        hard = self._chance.random() < 0.5
        for one in (near, far):
            with contextlib.suppress(OSError):
                if hard:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        with self._guard:
            if (near, far) in self._open:
                self._open.remove((near, far))
