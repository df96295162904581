"""Running tasks, on a real service."""

import signal
import threading
import time
import unittest
from typing import List

from serving import PATIENCE, Case, errand


class Outcomes(Case):
    def test_a_function_that_fails_is_run_again(self) -> None:
        worker = self.worker()
        seen: List[object] = []

        @worker.handler("shaky")
        def shaky() -> str:
            task = errand.this_task().info
            seen.append((task.attempt, task.last_error and task.last_error["message"], task.fence))
            if task.attempt == 1:
                raise errand.RetryIn(0.01, "not yet")
            return "done"

        task = self.client.submit("shaky", max_retry=3)
        with self.running(worker):
            self.assertEqual(task.result(PATIENCE), "done")
        self.assertEqual([one[:2] for one in seen], [(1, None), (2, "not yet")])  # type: ignore[index]
        self.assertLess(seen[0][2], seen[1][2])  # type: ignore[index]

    def test_a_task_whose_retries_are_used_is_dead(self) -> None:
        worker = self.worker()

        @worker.handler("broken")
        def broken(what: str) -> None:
            raise KeyError(what)

        task = self.client.submit("broken", "wheel", max_retry=0)
        with self.running(worker):
            with self.assertRaises(errand.TaskFailed) as caught:
                task.result(PATIENCE)
        self.assertEqual(caught.exception.state, "dead")
        self.assertEqual(caught.exception.errors[-1]["type"], "KeyError")
        self.assertEqual(caught.exception.errors[-1]["message"], "'wheel'")

    def test_a_task_is_discarded_in_its_first_attempt(self) -> None:
        worker = self.worker()

        @worker.handler("strict")
        def strict(number: int) -> None:
            raise errand.Discard("no such address")

        tasks = [self.client.submit("strict", 1), self.client.submit("strict")]
        with self.running(worker):
            for task, why in zip(tasks, ("no such address", "args: missing a required argument: 'number'")):
                with self.assertRaises(errand.TaskFailed) as caught:
                    task.result(PATIENCE)
                self.assertEqual(caught.exception.state, "dead")
                self.assertEqual([one["message"] for one in caught.exception.errors], [why])

    def test_a_snoozed_task_comes_back_and_has_used_no_attempt(self) -> None:
        worker = self.worker()
        attempts: List[int] = []

        @worker.handler("sleepy")
        def sleepy() -> str:
            attempts.append(errand.this_task().info.attempt)
            if len(attempts) == 1:
                raise errand.Snooze(0.01)
            if len(attempts) == 2:
                raise errand.GiveBack
            return "awake"

        task = self.client.submit("sleepy")
        with self.running(worker):
            self.assertEqual(task.result(PATIENCE), "awake")
        self.assertEqual(attempts, [1, 1, 1])

    def test_a_result_that_is_no_json_fails_its_task_alone(self) -> None:
        worker = self.worker()
        worker.add("odd", lambda: {1, 2})
        worker.add("large", lambda: "x" * 5_000_000)
        worker.add("good", lambda: "good")
        odd, large = self.client.submit("odd", max_retry=0), self.client.submit("large", max_retry=0)
        good = self.client.submit("good")
        with self.running(worker):
            self.assertEqual(good.result(PATIENCE), "good")
            with self.assertRaisesRegex(errand.TaskFailed, "result: builtins.set is no JSON"):
                odd.result(PATIENCE)
            with self.assertRaisesRegex(errand.TaskFailed, "too_large"):
                large.result(PATIENCE)

    def test_an_attempt_that_lasts_too_long_has_failed(self) -> None:
        worker = self.worker()
        ended = threading.Event()

        @worker.handler("slow")
        def slow() -> None:
            try:
                errand.this_task().sleep(600)
            except errand.Cancelled:
                ended.set()

        task = self.client.submit("slow", timeout=0.2, max_retry=0)
        with self.running(worker):
            with self.assertRaisesRegex(errand.TaskFailed, "has not ended within 0.2 s"):
                task.result(PATIENCE)
            self.assertTrue(ended.wait(PATIENCE))


class Running(Case):
    def test_a_cancellation_arrives_in_the_running_functions(self) -> None:
        worker = self.worker()
        began, ended = threading.Semaphore(0), threading.Semaphore(0)

        @worker.handler("plain")
        def plain() -> None:
            began.release()
            try:
                errand.this_task().sleep(600)
            except errand.Cancelled as why:
                if "cancelled" in str(why):
                    ended.release()

        @worker.handler("coroutine")
        async def coroutine() -> None:
            import asyncio

            began.release()
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                if errand.this_async_task().cancelled:
                    ended.release()
                raise

        tasks = [self.client.submit("plain"), self.client.submit("coroutine")]
        with self.running(worker):
            for task in tasks:
                self.assertTrue(began.acquire(timeout=PATIENCE))
            for task in tasks:
                self.assertEqual(task.cancel(), "cancelled")
            for task in tasks:
                self.assertTrue(ended.acquire(timeout=PATIENCE))
        for task in tasks:
            self.assertEqual(task.info().state, "cancelled")

    def test_a_function_that_outlasts_its_lease_keeps_its_task(self) -> None:
        worker = self.worker(lease=1.0)
        starts: List[int] = []

        @worker.handler("long")
        def long() -> str:
            starts.append(errand.this_task().info.attempt)
            time.sleep(2.5)
            return "done"

        task = self.client.submit("long")
        with self.running(worker):
            self.assertEqual(task.result(PATIENCE), "done")
        self.assertEqual(starts, [1])

    def test_a_stage_runs_once_though_its_task_runs_twice(self) -> None:
        worker = self.worker()
        downloads: List[int] = []
        results: List[object] = []

        def download(size: int) -> object:
            downloads.append(size)
            return ("bytes", size)

        @worker.handler("pages")
        def pages() -> object:
            task = errand.this_task()
            task.progress(0.25, "a quarter")
            task.log("one", "two")
            results.append(task.stage("download", download, 2**60))
            if task.info.attempt == 1:
                raise errand.RetryIn(0.01)
            return results[-1]

        task = self.client.submit("pages")
        with self.running(worker):
            self.assertEqual(task.result(PATIENCE), ["bytes", 2**60])
        self.assertEqual(downloads, [2**60])
        self.assertEqual(results, [["bytes", 2**60]] * 2)
        info = task.info()
        self.assertEqual((info.progress, info.progress_text), (0.25, "a quarter"))
        self.assertEqual([line.rpartition(" ")[2] for line in info.log], ["one", "two", "one", "two"])
        self.assertEqual(info.stages[0]["attempt"], 1)

    def test_many_tasks_run_at_a_time_and_no_more_than_may(self) -> None:
        worker = self.worker(concurrency=4)
        guard = threading.Lock()
        now, most, begun = [0], [0], [0]
        together = threading.Barrier(4)

        @worker.handler("busy")
        def busy(number: int) -> int:
            with guard:
                now[0] += 1
                begun[0] += 1
                most[0] = max(most[0], now[0])
                is_first = begun[0] <= 4
            if is_first:
                together.wait(PATIENCE)
            time.sleep(0.01)
            with guard:
                now[0] -= 1
            return number

        tasks = self.client.submit_many([errand.Submission("busy", [i]) for i in range(100)])
        with self.running(worker):
            self.assertEqual([self.client.result(one.id, PATIENCE) for one in tasks if isinstance(one, errand.Task)],
                             list(range(100)))  # fmt: skip
        self.assertEqual(most[0], 4)


class Deaths(Case):
    def test_the_task_of_a_worker_that_was_killed_runs_once_more(self) -> None:
        task = self.client.submit("hold", "it")
        first = self.program()
        assert first.stdout is not None
        self.assertEqual(first.stdout.readline(), "began it 1\n")
        first.kill()
        worker = self.worker()
        attempts: List[int] = []

        @worker.handler("hold")
        def hold(what: str) -> str:
            attempts.append(errand.this_task().info.attempt)
            return what

        with self.running(worker):
            self.assertEqual(task.result(PATIENCE), "it")
        self.assertEqual(attempts, [2])

    def test_a_worker_that_is_told_to_stop_gives_its_task_back(self) -> None:
        task = self.client.submit("hold", "it")
        first = self.program()
        assert first.stdout is not None
        self.assertEqual(first.stdout.readline(), "began it 1\n")
        first.send_signal(signal.SIGTERM)
        self.assertEqual(first.wait(PATIENCE), 0)
        info = task.info()
        self.assertEqual((info.state, info.attempt), ("ready", 0))

    def test_a_worker_that_stops_while_it_waits_takes_nothing(self) -> None:
        worker = self.worker(wait=60.0)
        worker.add("echo", lambda: "run")
        before = time.monotonic()
        with self.running(worker):
            self.until(lambda: [one for one in self.client.workers() if "default" in one["queues"]])
        self.assertLess(time.monotonic() - before, 30)
        self.client.submit("echo")
        self.assertEqual([one.state for one in self.client.tasks("ready").tasks], ["ready"])

    def test_a_service_that_is_killed_in_the_middle_loses_nothing(self) -> None:
        worker = self.worker(lease=1.0, wait=1.0)
        runs: List[int] = []
        half = threading.Event()

        @worker.handler("count")
        def count(number: int) -> int:
            runs.append(number)
            if len(runs) == 50:
                half.set()
            time.sleep(0.005)
            return number

        tasks = self.client.submit_many([errand.Submission("count", [i]) for i in range(100)])
        with self.running(worker):
            self.assertTrue(half.wait(PATIENCE))
            self.server.kill()
            self.server.start()
            got = [self.client.result(one.id, PATIENCE) for one in tasks if isinstance(one, errand.Task)]
        self.assertEqual(got, list(range(100)))
        self.assertEqual(set(runs), set(range(100)))

    def test_a_report_waits_for_a_service_that_is_away(self) -> None:
        worker = self.worker()
        began, go = threading.Event(), threading.Event()
        runs: List[int] = []

        @worker.handler("patient")
        def patient() -> str:
            runs.append(1)
            began.set()
            go.wait(PATIENCE)
            return "done"

        task = self.client.submit("patient")
        with self.running(worker):
            self.assertTrue(began.wait(PATIENCE))
            self.server.kill()
            with self.assertLogs("errand", "WARNING") as logs:
                go.set()
                self.until(lambda: [line for line in logs.output if "1 reports are sent again" in line])
            self.server.start()
            self.assertEqual(task.result(PATIENCE), "done")
        self.assertEqual(len(runs), 1)

    def test_a_report_whose_answer_was_lost_counts_once(self) -> None:
        gate = self.gate()
        worker = self.worker(gate.url)
        runs: List[int] = []

        @worker.handler("shaky")
        def shaky() -> str:
            runs.append(1)
            if len(runs) == 1:
                gate.lose_answer_to(b"work:report")
                raise errand.RetryIn(0.01, "first")
            return "done"

        task = self.client.submit("shaky")
        with self.running(worker):
            self.assertEqual(task.result(PATIENCE), "done")
        self.assertIn(b'"state":"retry"', gate.lost[0])
        self.assertEqual(len(runs), 2)
        self.assertEqual([one["message"] for one in task.info().errors], ["first"])
        self.client.submit("other")
        claimed = self.client.claim("by hand", {"default": 1}, wait=5)
        report = [errand.Report(claimed[0].id, claimed[0].claim, "success", 1)]
        self.assertEqual(self.client.report(report), ["success"])
        self.assertEqual(self.client.report(report), ["success"])
        late = self.client.report([errand.Report(claimed[0].id, claimed[0].claim, "discard", error_message="no")])
        self.assertIsInstance(late[0], errand.ClaimLost)


class SmallBodies(Case):
    options = ["--max-body", "2000"]

    def test_reports_that_are_too_many_for_the_service_are_sent_one_by_one(self) -> None:
        worker = self.worker(concurrency=20)
        together = threading.Barrier(20, timeout=PATIENCE)

        @worker.handler("say")
        def say(number: int) -> str:
            together.wait()
            return "x" * 200 + str(number)

        tasks = [self.client.submit("say", i) for i in range(20)]
        with self.running(worker):
            self.assertEqual([one.result(PATIENCE) for one in tasks], ["x" * 200 + str(i) for i in range(20)])
        self.assertEqual([one.info().attempt for one in tasks], [1] * 20)


if __name__ == "__main__":
    unittest.main()
