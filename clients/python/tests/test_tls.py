"""By https, where the authority is one that the system does not know."""

import asyncio
import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, List

from serving import PATIENCE, Case, Server, errand


def make_certificate(folder: Path) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        + ["-subj", "/CN=errand", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
        + ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")],
        check=True,
        capture_output=True,
    )


class ByTls(Case):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        make_certificate(Path(folder.name))
        self.authority = Path(folder.name) / "cert.pem"
        self.options = ["--tls-certificate", str(self.authority), "--tls-key", str(Path(folder.name) / "key.pem")]
        super().setUp()
        self.assertTrue(self.server.url.startswith("https://"))

    def connect(self, url: Any = None, **options: Any) -> errand.Client:
        return super().connect(url, **{"tls": self.authority, **options})

    def test_tasks_are_submitted_run_and_awaited(self) -> None:
        worker = self.worker(tls=str(self.authority))
        worker.add("double", lambda number: 2 * number)
        with self.running(worker):
            tasks = self.client.submit_many([errand.Submission("double", [i]) for i in range(50)])
            results: List[Any] = [task.result(PATIENCE) for task in tasks]  # type: ignore[union-attr]
        self.assertEqual(results, [2 * i for i in range(50)])

    def test_an_asyncio_program_does_the_same(self) -> None:
        async def main() -> None:
            context = ssl.create_default_context(cafile=str(self.authority))
            url, name_space = self.server.url, self.server.name_space
            async with errand.AsyncClient(url, name_space=name_space, tls=context) as client:
                task = await client.submit("echo", "x" * 100_000)
                self.assertEqual((await client.info(task.id)).args, ["x" * 100_000])

        asyncio.run(main())

    def test_a_worker_that_waits_is_stopped_at_once(self) -> None:
        worker = self.worker(tls=self.authority, wait=PATIENCE)
        worker.add("echo", lambda one: one)
        with self.running(worker):
            task = self.client.submit("echo", 1)
            self.assertEqual(task.result(PATIENCE), 1)

    def test_a_service_that_speaks_it_on_a_unix_socket_is_asked(self) -> None:
        there = Server(self.server.name_space, f"https://unix:{self.folder()}/errand.sock", *self.options)
        self.addCleanup(there.stop)
        self.assertTrue(there.url.startswith("https://unix:/"))
        task = self.connect(there.url).submit("double", 21)
        worker = self.worker(there.url, tls=self.authority, wait=PATIENCE)
        worker.add("double", lambda number: 2 * number)
        with self.running(worker):
            self.assertEqual(self.client.result(task.id, PATIENCE), 42)

        async def main() -> None:
            async with errand.AsyncClient(there.url, name_space=there.name_space, tls=self.authority) as client:
                self.assertEqual(await client.result(task.id, PATIENCE), 42)

        asyncio.run(main())
        # Nobody else is taken for it, and without TLS it is not spoken to.
        for url, trusts in ((there.url, None), (there.url[len("https://") :], self.authority)):
            with self.assertRaises(errand.Error):
                self.connect(url, tls=trusts, retry_for=0).queues()

    def test_a_service_that_is_not_trusted_is_not_asked(self) -> None:
        with self.assertRaises(errand.ConnectionFailed):
            self.connect(tls=None, retry_for=0).queues()


if __name__ == "__main__":
    unittest.main()
