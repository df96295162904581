"""JSON as the service reads it. What it would refuse is refused here, with the path to it: in a batch one bad value would
be the end of all the others."""

from __future__ import annotations

import json
from typing import Any

from .errors import BadValue

_least = -(2**63)
_most = 2**64 - 1
_deepest = 64


def check(value: Any, path: str) -> None:
    """Raises BadValue when the value is no JSON, or has an integer of more than 64 bits."""
    _check(value, path, 0)


def _check(value: Any, path: str, depth: int) -> None:
    if value is None or value is True or value is False:
        return
    if isinstance(value, str):
        _check_text(value, path)
    elif isinstance(value, int):
        if not _least <= value <= _most:
            raise BadValue("an integer of more than 64 bits; send it as a string", path)
    elif isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise BadValue("NaN and infinite numbers are no JSON", path)
    elif depth == _deepest:
        raise BadValue(f"nested deeper than {_deepest}", path)
    elif isinstance(value, (list, tuple)):
        for i, one in enumerate(value):
            _check(one, f"{path}[{i}]", depth + 1)
    elif isinstance(value, dict):
        for name, one in value.items():
            if not isinstance(name, str):
                raise BadValue(f"the names of an object are strings, not {type(name).__name__}", path)
            _check_text(name, path)
            _check(one, f"{path}.{name}", depth + 1)
    else:
        raise BadValue(f"{type(value).__module__}.{type(value).__qualname__} is no JSON", path)


def _check_text(text: str, path: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadValue("half of a surrogate pair is no text", path) from None


def text_of(value: Any) -> str:
    """Of what was checked."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def value_of(text: bytes) -> Any:
    """Integers of any length arrive exactly."""
    return json.loads(text)
