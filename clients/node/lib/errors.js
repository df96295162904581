// What can go wrong, and what a function may throw to say how its attempt ends.

export class ErrandError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class BadValue extends ErrandError {
  constructor(message, path) {
    super(path ? `${path}: ${message}` : message);
    this.path = path;
  }
}

export class ConnectionFailed extends ErrandError {
  constructor(message, sent, cause) {
    super(message, { cause });
    this.sent = sent;
  }
}

export class ResultTimeout extends ErrandError {}

export class ServiceError extends ErrandError {
  constructor({ status, code, message, path, retryAfter, requestId }) {
    super(`${message} (${code}${path ? `, ${path}` : ""})`);
    this.status = status;
    this.code = code;
    this.text = message;
    this.path = path;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }
}

export class BadRequest extends ServiceError {}
export class NotAllowed extends ServiceError {}
export class NotFound extends ServiceError {}
export class Conflict extends ServiceError {}
export class ClaimLost extends Conflict {}
export class QuotaExceeded extends ServiceError {}
export class Unavailable extends ServiceError {}

export class TaskFailed extends ErrandError {
  constructor({ id, state, errors }) {
    const last = errors.at(-1);
    super(`the task ${id} ended as ${state}${last ? `: ${last.type}: ${last.message}` : ""}`);
    this.id = id;
    this.state = state;
    this.errors = errors;
  }
}

export class TaskCancelled extends TaskFailed {}
export class TaskExpired extends TaskFailed {}
export class Cancelled extends ErrandError {}

export class Outcome extends ErrandError {}

export class RetryIn extends Outcome {
  constructor(delay, message = "to be tried again", options) {
    super(message, options);
    this.delay = delay;
  }
}

export class Discard extends Outcome {}

export class Snooze extends Outcome {
  constructor(delay) {
    super(`not for ${delay} ms`);
    this.delay = delay;
  }
}

export class GiveBack extends Outcome {
  constructor() {
    super("given back");
  }
}

const kinds = {
  claim_lost: ClaimLost,
  conflict: Conflict,
  quota_exceeded: QuotaExceeded,
  not_found: NotFound,
  unauthorized: NotAllowed,
  forbidden: NotAllowed,
  cross_site: NotAllowed,
  busy: Unavailable,
  rate_limited: Unavailable,
  unavailable: Unavailable,
  internal: Unavailable,
};

// An item of a batch has no status of its own.
const statuses = {
  too_large: 413,
  key_reused: 422,
  conflict: 409,
  claim_lost: 409,
  quota_exceeded: 429,
  busy: 429,
  not_found: 404,
  unavailable: 503,
  internal: 500,
};

export function errorOf(status, error, more = {}) {
  const code = String(error.code ?? "internal");
  const transient = status >= 500 || status === 408 || status === 429;
  const Kind = Object.hasOwn(kinds, code) ? kinds[code] : transient ? Unavailable : BadRequest;
  return new Kind({ status, code, message: String(error.message ?? ""), path: error.path, ...more });
}

export const errorOfItem = (error) => errorOf(statuses[error.code] ?? 400, error);

export function failureOf(task) {
  const Kind = { cancelled: TaskCancelled, expired: TaskExpired }[task.state] ?? TaskFailed;
  return new Kind(task);
}
