// Lengths of time are milliseconds.

/** What travels as JSON. Whole numbers beyond 2^53 are bigint, both ways; no number is rounded. */
export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json };
/** What may be sent; members that are undefined are left out. */
export type Sendable = Json | undefined | Date | readonly Sendable[] | { readonly [name: string]: Sendable };

export type State =
  | "waiting" | "delayed" | "ready" | "working" | "retry" | "success" | "dead" | "cancelled" | "expired"; // prettier-ignore

export interface SubmitOptions {
  /** Of equal ones one counts, also from another process, for as long as the task is kept. Without one and without a
   *  bizId the client makes one up for its own retries. */
  key?: string;
  /** The business identity: of equal ones of one handler only one runs. */
  bizId?: string;
  queue?: string;
  delay?: number;
  /** Due then; a text is RFC 3339 with a zone. */
  at?: Date | string;
  /** 0 to 9, higher first. */
  priority?: number;
  /** One attempt may last so long; 0: no limit. */
  timeout?: number;
  maxRetry?: number;
  expiresAfter?: number;
  retention?: number;
  /** Ids of the tasks that it waits for. */
  after?: string[];
  onFailedDependency?: "cancel" | "wait" | "run";
  onDuplicate?: "keep_first" | "replace" | "reject";
  headers?: Record<string, string>;
  tags?: string[];
}

export interface Submission extends Omit<SubmitOptions, "key"> {
  handler: string;
  args?: readonly Sendable[];
}

export interface AttemptError {
  attempt: number;
  type: string;
  message: string;
  worker: string;
  [more: string]: unknown;
}

/** A task as the service tells it: TASK in docs/cli.md, with times as Date. */
export interface TaskInfo {
  id: string;
  handler: string;
  queue: string;
  state: State;
  biz_id: string | null;
  attempt: number;
  max_retry: number | null;
  args: Json[];
  result: Json;
  errors: AttemptError[];
  stages: { name: string; attempt: number; started_at: string; length_ms: number; result: Json }[];
  log: string[];
  progress: number | null;
  progress_text: string | null;
  headers: Record<string, string>;
  tags: string[];
  after: string[];
  submitted_at: Date;
  due_at: Date | null;
  started_at: Date | null;
  finished_at: Date | null;
  [more: string]: unknown;
}

export interface Page {
  tasks: TaskInfo[];
  /** The cursor of the next page, or null. */
  next: string | null;
  /** False while a server of several does not answer, and its tasks are missing. */
  complete: boolean;
}

export interface ListOptions {
  queue?: string;
  handler?: string;
  bizId?: string;
  tag?: string;
  error?: string;
  limit?: number;
  cursor?: string;
  order?: "newest_first" | "oldest_first";
}

/** A task that was taken to be run. */
export interface Claimed {
  id: string;
  /** To be shown with all that is said of the attempt. */
  claim: string;
  handler: string;
  queue: string;
  args: Json[];
  attempt: number;
  max_retry: number;
  priority: number;
  biz_id: string | null;
  timeout_ms: number;
  headers: Record<string, string>;
  tags: string[];
  last_error: { type: string; message: string } | null;
  submitted_at: Date;
  started_at: Date;
  lease_until: Date;
}

/** Names, or names with weights. */
export type Queues = readonly string[] | Record<string, number>;

export interface Wish {
  worker: string;
  queues: Queues;
  handlers?: string[];
  limit?: number;
  lease?: number;
  wait?: number;
}

export interface Report {
  id: string;
  claim: string;
  outcome: "success" | "failure" | "discard" | "snooze" | "give_back";
  result?: Sendable;
  error?: { type?: string; message: string };
  delay?: number;
}

export interface ConnectOptions {
  token?: string;
  nameSpace?: string;
  /** For one answer. */
  timeout?: number;
  /** For https, where the system's authorities are not those that are trusted: a file of them in PEM, or options of node:tls. */
  tls?: string | Record<string, unknown>;
}

export interface ClientOptions extends ConnectOptions {
  /** So long a call that can be repeated is, when the service is away or busy (30,000); 0: never. */
  retryFor?: number;
}

/** A task that was submitted. */
export class Task {
  readonly id: string;
  /** False: it was there already, by its bizId or key. */
  readonly created: boolean;
  /** See Client.result. */
  result(timeout?: number): Promise<Json>;
  info(): Promise<TaskInfo>;
  cancel(): Promise<State>;
}

/**
 * The tasks of one namespace, on connections that are kept open. Calls reject with ServiceError when the service refuses, with
 * ConnectionFailed when it is not reached, with BadValue when something cannot be sent.
 */
export class Client {
  /**
   * `http://host:port`, `https://host`, `unix:/path`, or `https://unix:/path` where the service speaks TLS on its socket, with a
   * certificate for `localhost`.
   */
  constructor(url?: string, options?: ClientOptions);
  close(): void;

  submit(handler: string, args?: readonly Sendable[], options?: SubmitOptions): Promise<Task>;
  /** Many in few calls. In order, the task of each, or why it was refused: a bad one does not stop others. */
  submitMany(tasks: readonly Submission[], options?: { key?: string }): Promise<(Task | ServiceError)[]>;

  /** The result of a task once it has ended, by long polls. Rejects with TaskFailed, TaskCancelled, TaskExpired or, after
   *  `timeout`, ResultTimeout. */
  result(id: string, timeout?: number): Promise<Json>;
  /** The task once it has ended, however. */
  wait(id: string, timeout?: number): Promise<TaskInfo>;
  info(id: string): Promise<TaskInfo>;
  find(handler: string, bizId: string): Promise<TaskInfo | undefined>;
  tasks(state: State, options?: ListOptions): Promise<Page>;
  queues(): Promise<Record<string, unknown>[]>;
  workers(): Promise<Record<string, unknown>[]>;

  /** Ends a task that has not ended; a running one is told. */
  cancel(id: string): Promise<State>;
  /** Starts a dead, cancelled or expired task again. */
  revive(id: string): Promise<State>;
  reschedule(id: string, when: { delay?: number; at?: Date | string }): Promise<TaskInfo>;
  change(
    id: string,
    what: { args?: readonly Sendable[]; priority?: number; delay?: number; at?: Date | string },
  ): Promise<TaskInfo>;

  /** Takes tasks to run them. Not repeated: an answer that was lost has taken some. */
  claim(wish: Wish): Promise<Claimed[]>;
  /** In order, the state of each task, or why its report was refused. */
  report(reports: readonly Report[]): Promise<(State | ServiceError)[]>;
  /** Keeps tasks for a lease more. In order, undefined or why one is not kept. */
  extend(held: readonly { id: string; claim: string }[], lease?: number): Promise<(undefined | ServiceError)[]>;
}

export interface WorkerOptions extends ConnectOptions {
  /** Default: the queue `default`. */
  queues?: Queues;
  /** What it runs is shown under this. */
  name?: string;
  /** So many functions at a time (10). */
  concurrency?: number;
  /** After it the tasks of a worker that died go to another one (30,000). */
  lease?: number;
  /** How often leases are extended, and how soon a cancellation arrives (a third of the lease, and 5,000 at most). */
  heartbeat?: number;
  /** Of one long poll (20,000). */
  wait?: number;
  /** So long functions may go on once it is to stop (10,000); what has not ended then goes back to its queue. */
  stopGrace?: number;
  /** Told what was tried and is tried again; else it goes to standard error. */
  onWarning?: (text: string) => void;
}

/**
 * Runs tasks on this event loop. A function that keeps the loop to itself keeps the worker from extending leases as well: work that
 * computes belongs into worker_threads or a child process.
 */
export class Worker {
  readonly name: string;
  constructor(url?: string, options?: WorkerOptions);
  /** Tasks of the handler with this wire name are run by the function, which takes their arguments. */
  add(handler: string, run: (...args: any[]) => Sendable | void | Promise<Sendable | void>): this;
  /** Until SIGTERM, SIGINT or stop(); of a second signal, without waiting for functions. Rejects when the service refuses
   *  the first claim. */
  run(): Promise<void>;
  /** As run, without signals. */
  serve(): Promise<void>;
  /** Asked a second time, it does not wait for functions. */
  stop(): void;
}

/** The task that a function runs. Its calls reject with Cancelled once the task is not this worker's any more. */
export class RunningTask {
  readonly info: Claimed;
  /** Never smaller for a later attempt of the same task: for other systems, which refuse what is older. */
  readonly fence: bigint;
  /** Aborted once the task was cancelled, its time is over, its lease was lost, or the worker ends. */
  readonly signal: AbortSignal;
  readonly cancelled: boolean;
  /** Throws Cancelled when it is. */
  check(): void;
  /** How far it is, from 0 to 1. */
  progress(done: number, text?: string): Promise<void>;
  /** Keeps lines with the task; the latest 100 are kept. */
  log(...lines: string[]): Promise<void>;
  /** What `what()` resolves to, as JSON: called once, and in a later attempt answered by what was kept. */
  stage(name: string, what: () => Sendable | Promise<Sendable>): Promise<Json>;
  /** Rejects with Cancelled at once when the task is. */
  sleep(length: number): Promise<void>;
}

/** The task of the function that runs here, also after it has awaited. Throws outside of one. */
export function thisTask(): RunningTask;

export class ErrandError extends Error {}
/** Something cannot travel as JSON without being changed; `path` names it. */
export class BadValue extends ErrandError {
  readonly path: string;
}
/** The service was not reached, or went away before it had answered. What was asked may have happened unless `sent` is false. */
export class ConnectionFailed extends ErrandError {
  readonly sent: boolean;
}
export class ResultTimeout extends ErrandError {}
/** The service has refused a call, or one item of it. */
export class ServiceError extends ErrandError {
  readonly status: number;
  readonly code: string;
  /** The service's own words; `message` has the code and the path besides. */
  readonly text: string;
  readonly path?: string;
  readonly retryAfter?: number;
  readonly requestId?: string;
}
export class BadRequest extends ServiceError {}
export class NotAllowed extends ServiceError {}
export class NotFound extends ServiceError {}
export class Conflict extends ServiceError {}
export class ClaimLost extends Conflict {}
export class QuotaExceeded extends ServiceError {}
export class Unavailable extends ServiceError {}
/** A task whose result was awaited has ended otherwise. */
export class TaskFailed extends ErrandError {
  readonly id: string;
  readonly state: State;
  readonly errors: AttemptError[];
}
export class TaskCancelled extends TaskFailed {}
export class TaskExpired extends TaskFailed {}
/** The running task is no longer this worker's: what its function does from here on does not count. */
export class Cancelled extends ErrandError {}

/** Thrown by a function to end its attempt in another way than by success or failure. */
export class Outcome extends ErrandError {}
/** A failure, with the next attempt after so long instead of the handler's backoff. */
export class RetryIn extends Outcome {
  constructor(delay: number, message?: string, options?: { cause?: unknown });
}
/** A failure that no retry mends: the task is dead at once. */
export class Discard extends Outcome {
  constructor(message?: string, options?: { cause?: unknown });
}
/** Not now; uses no attempt. */
export class Snooze extends Outcome {
  constructor(delay: number);
}
/** To the head of its queue, for another worker; uses no attempt. */
export class GiveBack extends Outcome {}
