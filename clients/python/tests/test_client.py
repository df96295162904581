"""Submitting, waiting and looking, on a real service."""

import asyncio
import hashlib
import threading
import unittest
import unittest.mock
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Dict, List

from serving import PATIENCE, Case, Server, errand


def echo(*args: object) -> object:
    return list(args)


class Submitting(Case):
    def test_a_task_is_submitted_run_and_its_result_arrives(self) -> None:
        worker = self.worker()
        worker.add("echo", echo)
        task = self.client.submit("echo", 1, "two", None, {"three": [True]})
        self.assertTrue(task.created)
        with self.running(worker):
            self.assertEqual(task.result(PATIENCE), [1, "two", None, {"three": [True]}])
        self.assertEqual(task.info().state, "success")

    def test_an_asyncio_program_submits_and_runs_tasks(self) -> None:
        async def double(number: int) -> int:
            task = errand.this_async_task()
            await task.progress(0.5, "half")
            await task.log("doubling")
            kept: int = await task.stage("read", self.read, number)
            return 2 * kept

        async def main() -> None:
            worker = self.worker()
            worker.add("double", double)
            serving = asyncio.ensure_future(worker.serve())
            async with errand.AsyncClient(self.server.url, name_space=self.server.name_space) as client:
                tasks = await client.submit_many([errand.Submission("double", [i]) for i in range(20)])
                for i, task in enumerate(tasks):
                    assert isinstance(task, errand.AsyncTask)
                    self.assertEqual(await task.result(PATIENCE), 2 * i)
                info = await client.info(tasks[3].id)  # type: ignore[union-attr]
                self.assertEqual((info.progress, info.progress_text), (0.5, "half"))
                self.assertEqual([one["name"] for one in info.stages], ["read"])
                self.assertTrue(info.log[0].endswith("doubling"))
            worker.stop()
            await serving

        asyncio.run(main())

    async def read(self, number: int) -> int:
        return number

    def test_unicode_and_large_numbers_survive(self) -> None:
        worker = self.worker()
        worker.add("echo", echo)
        values = ["naïve – 火 – 🜂 – \u0000 – \\ \" \n", 2**53 + 1, 2**64 - 1, -(2**63), 0.1, 1e300, {"ключ": "значение"}]
        task = self.client.submit("echo", *values, biz_id="ид 🜂", headers={"x": "ü"}, tags=["тег"])
        with self.running(worker):
            self.assertEqual(task.result(PATIENCE), values)
        info = task.info()
        self.assertEqual((info.args, info.biz_id, info.headers, info.tags), (values, "ид 🜂", {"x": "ü"}, ["тег"]))

    def test_of_many_a_bad_one_is_refused_by_itself(self) -> None:
        tasks = [errand.Submission("echo", [i]) for i in range(5)]
        tasks[2] = errand.Submission("echo", [2], priority=99)
        tasks[4] = errand.Submission("echo", [4], biz_id="four")
        done = self.client.submit_many(tasks)
        refused = done.pop(2)
        assert isinstance(refused, errand.BadRequest)
        self.assertEqual(refused.path, "tasks[2].priority")
        for one in done:
            assert isinstance(one, errand.Task)
            self.assertEqual(one.info().state, "ready")

    def test_more_than_a_request_takes_go_in_several(self) -> None:
        done = self.client.submit_many([errand.Submission("echo", [i], queue="pile") for i in range(2100)])
        self.assertEqual(len({one.id for one in done if isinstance(one, errand.Task)}), 2100)
        (pile,) = [one for one in self.client.queues() if one["name"] == "pile"]
        self.assertEqual(pile["tasks"]["ready"], 2100)

    def test_all_that_a_submission_may_say_arrives(self) -> None:
        first = self.client.submit("echo", delay=3600)
        at = datetime(2031, 5, 6, 7, 8, 9, tzinfo=timezone(timedelta(hours=2)))
        task = self.client.submit(
            "echo", 1, biz_id="all", queue="odd", at=at, priority=7, timeout=timedelta(minutes=2), max_retry=3,
            expires_after=60, retention=3600, headers={"a": "b"}, tags=["t"], on_duplicate="reject",
        )  # fmt: skip
        info = task.info()
        self.assertEqual((info.handler, info.queue, info.state), ("echo", "odd", "delayed"))
        self.assertEqual(info.due_at, at)
        self.assertEqual(info.raw["max_retry"], 3)
        waiting = self.client.submit("echo", after=[first.id], on_failed_dependency="run").info()
        self.assertEqual((waiting.state, waiting.raw["after"]), ("waiting", [first.id]))
        with self.assertRaises(errand.Conflict):
            self.client.submit("echo", 1, biz_id="all", on_duplicate="reject")
        again = self.client.submit("echo", 2, biz_id="all", on_duplicate="replace")
        self.assertEqual(again.id, task.id)
        self.assertEqual(task.info().args, [2])

    def test_a_submission_whose_answer_was_lost_counts_once(self) -> None:
        gate = self.gate()
        gate.lose_answer_to(b"POST /v1/" + self.server.name_space.encode() + b"/tasks HTTP")
        task = self.connect(gate.url).submit("echo", "once")
        self.assertIn(b" 201 ", gate.lost[0])
        self.assertIn(task.id.encode(), gate.lost[0])
        self.assertFalse(task.created)
        self.assertEqual(len(self.client.tasks("ready").tasks), 1)

    def test_a_key_is_for_one_submission(self) -> None:
        first = self.client.submit("echo", 1, key="k-1")
        self.assertEqual(self.client.submit("echo", 1, key="k-1").id, first.id)
        with self.assertRaises(errand.BadRequest) as caught:
            self.client.submit("echo", 2, key="k-1")
        self.assertEqual((caught.exception.status, caught.exception.code), (422, "key_reused"))

    def test_an_error_has_the_code_message_and_path_of_the_service(self) -> None:
        with self.assertRaises(errand.BadRequest) as caught:
            self.client.submit("echo", on_duplicate="perhaps")
        why = caught.exception
        self.assertEqual((why.status, why.code, why.path), (400, "bad_request", "on_duplicate"))
        self.assertIn("keep_first", why.message)
        self.assertTrue(why.request_id)
        with self.assertRaises(errand.NotFound):
            self.client.info("019a0000-0000-7000-8000-000000000000")
        with errand.Client(self.server.url, name_space="elsewhere") as elsewhere:
            with self.assertRaises(errand.NotFound):
                elsewhere.queues()


class Looking(Case):
    def test_a_result_that_does_not_come_in_time_is_a_timeout(self) -> None:
        task = self.client.submit("echo")
        with self.assertRaises(errand.ResultTimeout):
            task.result(0.1)

    def test_a_task_is_found_cancelled_revived_changed_and_rescheduled(self) -> None:
        task = self.client.submit("echo", 1, biz_id="o-1", delay=3600)
        found = self.client.find("echo", "o-1")
        assert found is not None
        self.assertEqual(found.id, task.id)
        self.assertIsNone(self.client.find("echo", "o-2"))
        self.assertEqual(self.client.change(task.id, args=[2], priority=9).args, [2])
        self.assertEqual(self.client.reschedule(task.id, delay=0).id, task.id)
        self.assertEqual(task.cancel(), "cancelled")
        with self.assertRaises(errand.TaskCancelled):
            task.result(PATIENCE)
        self.assertEqual(self.client.revive(task.id), "ready")
        with self.assertRaises(errand.Conflict):
            self.client.revive(task.id)

    def test_a_large_answer_arrives_compressed(self) -> None:
        self.client.submit_many([errand.Submission("echo", ["naïve " * 100 + str(i)]) for i in range(100)])
        seen: List[Dict[str, str]] = []
        exchange = errand.client._Connection.exchange

        def watched(of: errand.client._Connection, request: bytes, within: float) -> Any:
            got = exchange(of, request, within)
            seen.append(got.headers)
            return got

        with unittest.mock.patch.object(errand.client._Connection, "exchange", watched):
            tasks = self.client.tasks("ready", limit=1000).tasks
        self.assertEqual(seen[0].get("content-encoding"), "gzip")
        self.assertEqual(sorted(one.args[0] for one in tasks), sorted("naïve " * 100 + str(i) for i in range(100)))

    def test_tasks_are_listed_by_page(self) -> None:
        self.client.submit_many([errand.Submission("echo", [i], tags=["odd"] if i % 2 else []) for i in range(10)])
        first = self.client.tasks("ready", limit=4, order="oldest_first")
        assert first.next
        rest = self.client.tasks("ready", limit=100, order="oldest_first", cursor=first.next)
        self.assertEqual([one.args for one in first.tasks + rest.tasks], [[i] for i in range(10)])
        self.assertEqual(len(self.client.tasks("ready", tag="odd").tasks), 5)


class Connections(Case):
    def test_a_connection_is_kept_and_one_that_the_service_has_closed_is_no_error(self) -> None:
        self.client.submit("echo", delay=3600)
        kept = self.client._idle[0]
        self.client.queues()
        self.assertIs(self.client._idle[0], kept)
        self.server.stop()
        self.server.start()
        task = self.client.submit("echo")
        self.assertIsNot(self.client._idle[0], kept)
        self.assertEqual(self.client.cancel(task.id), "cancelled")

    def test_a_service_that_comes_back_is_waited_for(self) -> None:
        self.server.kill()
        back = threading.Timer(0.3, self.server.start)
        back.start()
        self.assertTrue(self.client.submit("echo").created)
        back.join()

    def test_a_service_that_is_not_there_is_an_error(self) -> None:
        self.server.kill()
        with self.assertRaises(errand.ConnectionFailed) as caught:
            self.connect(retry_for=0).queues()
        self.assertFalse(caught.exception.sent)
        self.server.start()

    def test_many_threads_share_a_client(self) -> None:
        ids = []

        def submit() -> None:
            for _ in range(20):
                ids.append(self.client.submit("echo").id)

        threads = [threading.Thread(target=submit) for _ in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(len(set(ids)), 160)

    def test_a_service_on_a_unix_socket_is_asked(self) -> None:
        path = self.folder() + "/errand.sock"
        there = Server(self.server.name_space, f"unix:{path}")
        self.addCleanup(there.stop)
        with errand.Client(f"unix:{path}", name_space=self.server.name_space) as client:
            task = client.submit("echo", "by file")
        worker = self.worker(f"unix:{path}")
        worker.add("echo", echo)
        with self.running(worker):
            self.assertEqual(self.client.result(task.id, PATIENCE), ["by file"])


class Tokens(Case):
    token = "errand_" + "a" * 64

    def setUp(self) -> None:
        self.tokens = Path(self.folder()) / "tokens"
        digest = hashlib.sha256(self.token.encode()).hexdigest()
        self.tokens.write_text(f"shop submit,work {digest}\n")
        self.tokens.chmod(0o600)
        self.options = ["--tokens", str(self.tokens)]
        super().setUp()

    def test_a_wrong_token_is_refused_and_says_so(self) -> None:
        with self.assertRaises(errand.NotAllowed) as caught:
            self.client.submit("echo")
        self.assertEqual(caught.exception.status, 401)
        with self.assertRaises(errand.NotAllowed):
            self.connect(token="errand_" + "b" * 64).queues()
        worker = self.worker(token="errand_" + "b" * 64)
        worker.add("echo", echo)
        with self.assertRaises(errand.NotAllowed):
            asyncio.run(worker.serve())

    def test_the_right_token_is_let_in(self) -> None:
        task = self.connect(token=self.token).submit("echo", 1)
        worker = self.worker(token=self.token)
        worker.add("echo", echo)
        with self.running(worker):
            self.assertEqual(task.result(PATIENCE), [1])

    def test_a_token_asks_as_often_as_its_rate_allows(self) -> None:
        digest = hashlib.sha256(self.token.encode()).hexdigest()
        self.tokens.write_text(f"shop submit {digest} rate=2/s\n")
        client = self.connect(token=self.token)
        self.assertEqual(len({client.submit("echo", i).id for i in range(5)}), 5)
        self.tokens.write_text(f"shop submit {digest} rate=1/h\n")
        hasty = self.connect(token=self.token, retry_for=0)
        with self.assertRaises(errand.Unavailable) as caught:
            for _ in range(2):
                hasty.queues()
        self.assertEqual((caught.exception.status, caught.exception.code), (429, "rate_limited"))
        self.assertGreater(caught.exception.retry_after or 0, 0)

    def test_a_token_of_another_scope_is_refused(self) -> None:
        digest = hashlib.sha256(b"errand_view").hexdigest()
        self.tokens.write_text(f"eye view {digest}\n")
        with self.assertRaises(errand.NotAllowed) as caught:
            self.connect(token="errand_view").submit("echo")
        self.assertEqual(caught.exception.status, 403)


if __name__ == "__main__":
    unittest.main()
