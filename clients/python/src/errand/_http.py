"""HTTP/1.1 as far as it is needed, without I/O: an address, the bytes of a request, and how an answer is read."""

from __future__ import annotations

import ssl
import zlib
from dataclasses import dataclass, field
from os import PathLike
from typing import Dict, Generator, List, Optional, Tuple, Union
from urllib.parse import urlsplit

LINE = -1
"""What a reader asks for: a line, all until the end, or else so many bytes."""
REST = -2

Tls = Union[ssl.SSLContext, str, "PathLike[str]"]
"""Whose certificates are trusted: a context, or a file of authorities in PEM."""

Reader = Generator[int, bytes, "Response"]


class Garbled(ConnectionError):
    """What came is no answer of HTTP/1.1, or no whole one."""


@dataclass(frozen=True)
class Address:
    """Where the service is."""

    host: str
    """As the Host header says it."""
    name: str = ""
    port: int = 0
    path: str = ""
    """Of a unix socket; else empty."""
    tls: Optional[ssl.SSLContext] = None


def address_of(url: str, tls: Optional[Tls] = None) -> Address:
    """Of ``http://host:port``, ``https://host``, ``unix:/path`` and ``https://unix:/path``. Raises ValueError."""
    if url.startswith(("unix:", "http://unix:", "https://unix:")):
        scheme, _, path = url.partition("unix:")
        if path.startswith("//"):
            path = path[2:]
        if not path.startswith("/"):
            raise ValueError(f'"{url}" names no unix socket: write unix:/path')
        tls_there = _context_of(tls) if scheme == "https://" else None
        return Address(host="localhost", name="localhost", path=path, tls=tls_there)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.query:
        raise ValueError(f'"{url}" is no address of a service: write http://host:port, https://host or unix:/path')
    secure = parts.scheme == "https"
    return Address(
        host=parts.netloc.rpartition("@")[2],
        name=parts.hostname,
        port=parts.port or (443 if secure else 80),
        tls=_context_of(tls) if secure else None,
    )


def _context_of(tls: Optional[Tls]) -> ssl.SSLContext:
    if isinstance(tls, ssl.SSLContext):
        return tls
    return ssl.create_default_context(cafile=tls)


@dataclass
class Response:
    status: int
    headers: Dict[str, str] = field(default_factory=dict)
    """With names in lower case."""
    body: bytes = b""
    keeps: bool = True
    """Another request may follow on this connection."""

    def seconds_to_wait(self) -> Optional[float]:
        text = self.headers.get("retry-after", "")
        return float(text) if text.isdigit() else None


def request_bytes(method: str, target: str, headers: List[Tuple[str, str]], body: Optional[bytes]) -> bytes:
    lines = [f"{method} {target} HTTP/1.1"]
    for name, value in headers:
        if any(c < " " or c == "\x7f" for c in value):
            raise ValueError(f"the header {name} has a control character")
        lines.append(f"{name}: {value}")
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8") + (body or b"")


def read_response() -> Reader:
    """Yields what it needs next and is sent it: b"" is the end."""
    while True:
        response = Response(*(yield from _read_status()))
        yield from _read_headers(response.headers)
        if response.status >= 200:
            break
    if response.headers.get("connection", "").lower() == "close":
        response.keeps = False
    if response.status != 204:
        response.body = yield from _read_body(response)
    if response.headers.get("content-encoding", "").lower() == "gzip":
        try:
            response.body = zlib.decompress(response.body, wbits=31)
        except zlib.error as why:
            raise Garbled(f"the answer is no gzip: {why}") from None
    return response


def _number(text: bytes, radix: int) -> int:
    try:
        number = int(text, radix)
    except ValueError:
        number = -1
    if number < 0:
        raise Garbled("the answer does not say how long it is")
    return number


def _read_status() -> Generator[int, bytes, Tuple[int]]:
    line = yield LINE
    if not line:
        raise Garbled("the service closed the connection before it answered")
    parts = line.decode("latin-1").split(" ", 2)
    if len(parts) < 2 or not parts[0].startswith("HTTP/1.") or not parts[1].isdigit():
        raise Garbled("this is no service of HTTP/1.1")
    return (int(parts[1]),)


def _read_headers(into: Dict[str, str]) -> Generator[int, bytes, None]:
    into.clear()
    while True:
        line = (yield LINE).decode("latin-1")
        if not line.endswith("\n"):
            raise Garbled("the answer ends in its headers")
        line = line.rstrip("\r\n")
        if not line:
            return
        name, colon, value = line.partition(":")
        if not colon:
            raise Garbled("this is no header")
        into[name.strip().lower()] = value.strip()


def _read_exactly(size: int) -> Generator[int, bytes, bytes]:
    if size == 0:
        return b""
    got = yield size
    if len(got) != size:
        raise Garbled("the answer ends in its body")
    return got


def _read_body(of: Response) -> Generator[int, bytes, bytes]:
    if of.headers.get("transfer-encoding", "").lower() == "chunked":
        parts: List[bytes] = []
        while True:
            size = _number((yield LINE).split(b";")[0], 16)
            if size == 0:
                yield from _read_headers({})
                return b"".join(parts)
            parts.append((yield from _read_exactly(size)))
            yield LINE
    if "content-length" in of.headers:
        return (yield from _read_exactly(_number(of.headers["content-length"].encode("latin-1"), 10)))
    of.keeps = False
    return (yield REST)
