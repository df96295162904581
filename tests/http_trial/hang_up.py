"""A client that hangs up while it waits for a task: the next one who comes gets it, within a second and as its first attempt."""

from __future__ import annotations

import json
import random
import socket
import struct
import threading
import time
from typing import List

from crowd import errand

QUEUE = "left"
MOST = 1.0
"""Seconds until another has the task."""


class Lateness:
    """How late this process itself is woken: what is later than that is nobody's fault."""

    def __init__(self) -> None:
        self._worst = 0.0
        self._going = True
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def begin(self) -> None:
        self._worst = 0.0

    def worst(self) -> float:
        return self._worst

    def _watch(self) -> None:
        while True:
            before = time.monotonic()
            time.sleep(0.01)
            self._worst = max(self._worst, time.monotonic() - before - 0.01)


class HangUps:
    def __init__(self, port: int, client: errand.Client, name_space: str, chance: random.Random) -> None:
        self._port = port
        self._client = client
        self._path = f"/v1/{name_space}/work:claim"
        self._chance = chance
        self._late = Lateness()
        self.took: List[float] = []
        self.unjudged = 0
        self.late = 0
        self.attempts_used = 0
        self.not_given = 0

    def strike(self) -> None:
        gone = [self._one_who_waits() for _ in range(self._chance.choice((1, 1, 5)))]
        time.sleep(self._chance.uniform(0, 0.3))
        self._late.begin()
        for one in gone:
            self._leave(one)
        left = time.monotonic()
        task = self._client.submit("wait", queue=QUEUE)
        got = self._client.claim("next", {QUEUE: 1}, wait=20.0)
        took = time.monotonic() - left
        for one in gone:
            one.close()
        if [one.id for one in got] != [task.id]:
            self.not_given += 1
            return
        self._client.report([errand.Report(got[0].id, got[0].claim, "success")])
        self.attempts_used += got[0].attempt != 1
        if took > MOST and self._late.worst() > MOST / 10:
            self.unjudged += 1
            return
        self.took.append(took)
        self.late += took > MOST

    def _one_who_waits(self) -> socket.socket:
        body = json.dumps({"worker": "gone", "queues": {QUEUE: 1}, "wait_ms": 60000, "lease_ms": 60000})
        head = f"POST {self._path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        one = socket.create_connection(("127.0.0.1", self._port))
        one.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        return one

    def _leave(self, one: socket.socket) -> None:
        how = self._chance.choice(("close", "reset", "half"))
        if how == "half":
            one.shutdown(socket.SHUT_WR)
            return
        if how == "reset":
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.close()
