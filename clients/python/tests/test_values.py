"""What travels as JSON, without a server."""

import math
import unittest

import serving  # noqa: F401: the path
from errand import BadValue, Submission


class Values(unittest.TestCase):
    def refused(self, value: object, path: str) -> None:
        with self.assertRaises(BadValue) as caught:
            Submission("any", [value]).to_json()
        self.assertEqual(caught.exception.path, path)

    def test_an_integer_of_more_than_64_bits_is_refused_with_its_path(self) -> None:
        self.refused({"a": [1, 2**64]}, "args[0].a[1]")
        self.refused(-(2**63) - 1, "args[0]")
        Submission("any", [2**64 - 1, -(2**63)]).to_json()

    def test_what_is_no_json_is_refused_with_its_path(self) -> None:
        self.refused(math.nan, "args[0]")
        self.refused([math.inf], "args[0][0]")
        self.refused({"x": {1, 2}}, "args[0].x")
        self.refused({1: "one"}, "args[0]")
        self.refused("\ud800", "args[0]")
        deep: object = 1
        for _ in range(64):
            deep = [deep]
        self.refused(deep, "args[0]" + "[0]" * 63)

    def test_a_time_without_a_zone_is_refused(self) -> None:
        from datetime import datetime

        with self.assertRaisesRegex(ValueError, "zone"):
            Submission("any", at=datetime(2030, 1, 1)).to_json()

    def test_an_address_that_is_none_is_refused(self) -> None:
        for url in ("127.0.0.1:7070", "ftp://here", "http://", "unix:relative", "https://unix:relative", "http://here/path"):
            with self.assertRaises(ValueError, msg=url):
                serving.errand.Client(url)


if __name__ == "__main__":
    unittest.main()
