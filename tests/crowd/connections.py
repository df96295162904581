#!/usr/bin/env python3
"""Many times as many connections to an `errand serve` as it takes at once: those over its limit wait until they are accepted, each that
stays is answered in its turn, and the service never holds more than it may. All waves are alike, so that more of them show no more of
this; `connections.py ERRAND 100000` makes a hundred thousand.

    connections.py ERRAND [CONNECTIONS]        with ERRAND_STORE, as scripts/lib/with-sqlite gives it
"""
import contextlib
import os
import pathlib
import resource
import signal
import socket
import struct
import subprocess
import sys
import time

MOST_CONNECTIONS = 24
# A process that holds something of every connection that it has ever seen grows by more, each having a buffer.
MOST_GROWTH = 32 << 20
MOST_GROWTH_BY_CONNECTION = 4 << 10
# What the service may open besides connections of clients.
OTHER_FILES = 8

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def wave_size():
    """As many as are accepted by the system at once before the service has accepted one, and as this process may have open."""
    waiting = int(pathlib.Path("/proc/sys/net/core/somaxconn").read_text())
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        most = 1 << 20
    files = min(most, 8192)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    return min(500, waiting // 2, files - 100)


class Service:
    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--access-log", "off", "--max-connections", str(MOST_CONNECTIONS),
             "--max-waiting", str(MOST_CONNECTIONS - 1)],
            # A sanitizer keeps what was freed.
            env={**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=4"},
            stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "http://127.0.0.1:" in line:
                self.port = int(line.rsplit(":", 1)[1])
                return
        sys.exit("connections: the service does not say where it is")

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmRSS"))

    def connect(self, number):
        """From an address of its own for each wave: those before may still stand in the system's tables."""
        one = socket.socket()
        one.settimeout(120)
        one.setsockopt(socket.SOL_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
        one.bind((f"127.0.{1 + number // 200 % 200}.{1 + number % 200}", 0))
        one.connect(("127.0.0.1", self.port))
        return one


def hang_up(one, at_once):
    if at_once:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    one.close()


def answer(one):
    got = b""
    with contextlib.closing(one):
        while part := one.recv(4096):
            got += part
    return got


def check(holds, what):
    if not holds:
        sys.exit(f"connections: {what}")


def one_wave(service, number, size, files_before):
    """A quarter of each kind: who says nothing, who says half of it, who asks and does not wait for the answer, and who waits."""
    everyone = [service.connect(number) for _ in range(size)]
    for i, one in enumerate(everyone):
        if i % 4 == 1:
            one.sendall(REQUEST[:30])
        elif i % 4 > 1:
            one.sendall(REQUEST)
    held = service.files()
    check(held <= files_before + MOST_CONNECTIONS + OTHER_FILES, f"the service has {held} files open in wave {number}")
    for i, one in enumerate(everyone):
        if i % 4 < 3:
            hang_up(one, at_once=i % 8 < 4)
    for one in everyone[3::4]:
        got = answer(one)
        check(got.startswith(b"HTTP/1.1 200 "), f"one who waited in wave {number} was answered {got[:100]!r}")


def main():
    program = sys.argv[1]
    connections = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    size = wave_size()
    service = Service(program)
    try:
        with contextlib.closing(service.connect(0)) as first:
            first.sendall(REQUEST)
            check(first.recv(4096).startswith(b"HTTP/1.1 200 "), "the first one is not answered")
        files = service.files()
        done = 0
        memory = first_measured = 0
        number = 0
        while done < connections:
            now = min(size, connections - done)
            one_wave(service, number, now, files)
            done += now
            number += 1
            # By then it has what it needs for so many at once.
            if not memory and done >= connections // 5:
                memory, first_measured = service.memory(), done
        grown = service.memory() - memory
        check(grown < MOST_GROWTH + (done - first_measured) * MOST_GROWTH_BY_CONNECTION,
              f"the service has grown by {grown >> 20} MiB")
        last = service.connect(number)
        last.sendall(REQUEST.replace(b"/healthz", b"/readyz"))
        check(answer(last).startswith(b"HTTP/1.1 200 "), "a request after all of them is not answered")
        # Of those who hung up it hears a little later.
        until = time.monotonic() + 120
        while (held := service.files()) > files + OTHER_FILES:
            check(time.monotonic() < until, f"the service has {held} files open when nobody is there, and had {files}")
            time.sleep(0.05)
        print(f"{done} connections in {number} waves, {MOST_CONNECTIONS} at once; the service has grown by {grown >> 10} KiB")
    finally:
        service.process.send_signal(signal.SIGTERM)
    check(service.process.wait(60) == 0, "the service ends badly")


main()
