export { Client, Task } from "./lib/client.js";
export {
  BadRequest,
  BadValue,
  Cancelled,
  ClaimLost,
  Conflict,
  ConnectionFailed,
  Discard,
  ErrandError,
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
} from "./lib/errors.js";
export { RunningTask, thisTask } from "./lib/running.js";
export { Worker } from "./lib/worker.js";
