"""As much of Redis's protocol as the harness needs: send a command, read an answer."""
import socket
import ssl
from urllib.parse import unquote, urlsplit


class Refused(Exception):
    """Redis answered with an error."""


class Connection:
    def __init__(self, where, timeout=60):
        self.socket = where.connect(timeout)
        self.stream = self.socket.makefile("rb")
        if where.password:
            self.call("AUTH", *([where.user] if where.user else []), where.password)

    def send(self, *words):
        parts = [b"*%d\r\n" % len(words)]
        for word in words:
            data = str(word).encode()
            parts.append(b"$%d\r\n%s\r\n" % (len(data), data))
        self.socket.sendall(b"".join(parts))

    def read(self):
        line = self.stream.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("Redis closed the connection")
        kind, rest = line[:1], line[1:-2].decode()
        if kind == b"-":
            raise Refused(rest)
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == "-1" else self.stream.read(int(rest) + 2)[:-2].decode(errors="replace")
        if kind == b"*":
            return None if rest == "-1" else [self.read() for _ in range(int(rest))]
        return rest

    def call(self, *words):
        self.send(*words)
        return self.read()

    def info(self, section):
        lines = self.call("INFO", section).splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def close(self):
        self.stream.close()
        self.socket.close()


class Address:
    """Of a Redis: redis://[user:password@]host[:port], rediss:// and redis+unix:///path, as errand reads them."""

    def __init__(self, url):
        parts = urlsplit(url)
        over_unix = parts.scheme == "redis+unix"
        if parts.scheme not in ("redis", "rediss", "redis+unix") or over_unix == bool(parts.hostname):
            raise ValueError(f"not the URL of a Redis: {url}")
        self.url = url
        self.path = unquote(parts.path) if over_unix else None
        self.host = parts.hostname
        self.port = parts.port or 6379
        self.user = unquote(parts.username or "")
        self.password = unquote(parts.password or "")
        self.tls = parts.scheme == "rediss"
        self.database = "" if self.path else parts.path.strip("/")

    def plain(self):
        """Without anything that only errand's own client can do."""
        return not (self.tls or self.password or self.database not in ("", "0") or urlsplit(self.url).query)

    def is_loopback(self):
        return self.path is not None or self.host in ("127.0.0.1", "::1", "localhost")

    def connect(self, timeout):
        if self.path:
            made = socket.socket(socket.AF_UNIX)
            made.settimeout(timeout)
            made.connect(self.path)
            return made
        made = socket.create_connection((self.host, self.port), timeout)
        return ssl.create_default_context().wrap_socket(made, server_hostname=self.host) if self.tls else made
