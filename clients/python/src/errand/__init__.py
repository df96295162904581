"""The tasks of errand over HTTP: submitting, waiting for results, and running them.

    with errand.Client("http://127.0.0.1:7070") as tasks:
        print(tasks.submit("greet", "Ann").result(timeout=60))

    worker = errand.Worker("http://127.0.0.1:7070", queues=["default"])

    @worker.handler("greet")
    def greet(name: str) -> str:
        return f"hello, {name}"

    worker.run()
"""

from .aio import AsyncClient, AsyncTask
from .client import Client, Task
from .errors import (
    BadRequest,
    BadValue,
    Cancelled,
    ClaimLost,
    Conflict,
    ConnectionFailed,
    Discard,
    Error,
    GiveBack,
    NotAllowed,
    NotFound,
    Outcome,
    QuotaExceeded,
    ResultTimeout,
    RetryIn,
    ServiceError,
    Snooze,
    TaskCancelled,
    TaskExpired,
    TaskFailed,
    Unavailable,
)
from .model import Claimed, Page, Report, Submission, TaskInfo
from .running import AsyncRunningTask, RunningTask, this_async_task, this_task
from .worker import Worker

__all__ = [
    "AsyncClient",
    "AsyncRunningTask",
    "AsyncTask",
    "BadRequest",
    "BadValue",
    "Cancelled",
    "ClaimLost",
    "Claimed",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "Discard",
    "Error",
    "GiveBack",
    "NotAllowed",
    "NotFound",
    "Outcome",
    "Page",
    "QuotaExceeded",
    "Report",
    "ResultTimeout",
    "RetryIn",
    "RunningTask",
    "ServiceError",
    "Snooze",
    "Submission",
    "Task",
    "TaskCancelled",
    "TaskExpired",
    "TaskFailed",
    "TaskInfo",
    "Unavailable",
    "Worker",
    "this_async_task",
    "this_task",
]
