// Each call of the service as data: what is sent, whether it may be sent again, and what its answer is.
import { randomUUID } from "node:crypto";
import { errorOf, errorOfItem } from "./errors.js";
import { parse, stringify } from "./json.js";

export const longestWait = 60_000;
export const mostItems = 1000;
const mostBytes = 4 * 1024 * 1024; // of a batch: well below what the service takes by default

// Its JSON. Throws ServiceError.
export function answerOf({ status, headers, text }) {
  let document;
  try {
    document = parse(text);
  } catch {
    document = undefined;
  }
  if (status < 300 && document !== undefined) return document;
  const error = document?.error ?? { code: "internal", message: `status ${status}, and no answer of this service` };
  const after = headers["retry-after"];
  throw errorOf(status, error, {
    retryAfter: after === undefined ? undefined : Number(after) * 1000,
    requestId: headers["x-request-id"],
  });
}

// An item of the batch met a store that did not answer: the batch is to be sent again.
export const hasUnstoredItem = (document) =>
  Array.isArray(document.results) && document.results.some((one) => one.error?.code === "unavailable");

const itemsOf = (read) => (document) =>
  document.results.map((one) => (one.error ? errorOfItem(one.error) : read(one)));

const post = (path, body, read, more = {}) => ({ method: "POST", path, body, read, safe: true, wait: 0, ...more });
const look = (path, read, query = {}, wait = 0) => ({ method: "GET", path, query, read, safe: true, wait });
const pathOf = (id, verb = "") => `/tasks/${encodeURIComponent(id)}${verb}`;

const instant = (at) => (at instanceof Date ? at.toISOString() : at);

// ---- submitting ----

const plain = {
  bizId: "biz_id",
  queue: "queue",
  delay: "delay_ms",
  priority: "priority",
  timeout: "timeout_ms",
  maxRetry: "max_retry",
  expiresAfter: "expires_after_ms",
  retention: "retention_ms",
  after: "after",
  onFailedDependency: "on_failed_dependency",
  onDuplicate: "on_duplicate",
  headers: "headers",
  tags: "tags",
};

function submissionText({ handler, args = [], at, key, ...options }) {
  const body = { handler, args, at: instant(at) };
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(plain, name)) throw new TypeError(`a submission has no "${name}"`);
    body[plain[name]] = value;
  }
  return stringify(body);
}

const submitted = ({ id, created }) => ({ id, created });
const countsOnce = ({ onDuplicate }) => onDuplicate !== "reject";

export function submit(task) {
  const key = task.key ?? (task.bizId === undefined ? randomUUID() : undefined);
  return post("/tasks", submissionText(task), submitted, { key, safe: countsOnce(task) });
}

// In as many calls as it takes, each with the places of its tasks among all. A task with a bizId counts once by that, and takes
// no key.
export function submitMany(tasks, key = randomUUID()) {
  const texts = tasks.map(submissionText);
  const places = [...tasks.keys()];
  const part = (of, itsKey) => ({
    places: of,
    call: post("/tasks:batch", `{"tasks":[${of.map((i) => texts[i]).join(",")}]}`, itemsOf(submitted), {
      key: itsKey,
      safe: of.every((i) => countsOnce(tasks[i])),
    }),
  });
  const keyed = partsOf(places.filter((i) => tasks[i].bizId === undefined), texts);
  const named = partsOf(places.filter((i) => tasks[i].bizId !== undefined), texts);
  return [...keyed.map((of, n) => part(of, n ? `${key}-${n}` : key)), ...named.map((of) => part(of, undefined))];
}

function partsOf(places, texts) {
  const parts = [];
  let size = 0;
  for (const i of places) {
    const length = texts[i].length * 3; // in UTF-8 at most
    if (!parts.length || parts.at(-1).length === mostItems || size + length > mostBytes) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1).push(i);
    size += length;
  }
  return parts;
}

// ---- looking and changing ----

const dates = ["submitted_at", "due_at", "started_at", "finished_at", "kept_until", "lease_until"];

function taskOf(raw) {
  const task = { ...raw };
  for (const name of dates) if (typeof task[name] === "string") task[name] = new Date(task[name]);
  return task;
}

const pageOf = ({ tasks, next, complete }) => ({ tasks: tasks.map(taskOf), next, complete });

export const info = (id, wait = 0) => look(pathOf(id), taskOf, wait ? { wait_ms: Math.ceil(wait) } : {}, wait);
export const listed = ({ bizId, ...query }) => look("/tasks", pageOf, { ...query, biz_id: bizId });
export const found = (handler, bizId) => look("/tasks", (raw) => pageOf(raw).tasks[0], { handler, biz_id: bizId });
export const queues = () => look("/queues", (raw) => raw.queues);
export const workers = () => look("/workers", (raw) => raw.workers);
export const cancel = (id) => post(pathOf(id, ":cancel"), undefined, (raw) => raw.state);
// Done twice it is refused the second time.
export const revive = (id) => post(pathOf(id, ":revive"), undefined, (raw) => raw.state, { safe: false });

// A delay counts from when it is asked.
export const reschedule = (id, { delay, at }) =>
  post(pathOf(id, ":reschedule"), stringify({ delay_ms: delay, at: instant(at) }), taskOf, { safe: delay === undefined });
export const change = (id, { args, priority, delay, at }) => ({
  ...post(pathOf(id), stringify({ args, priority, delay_ms: delay, at: instant(at) }), taskOf),
  method: "PATCH",
  safe: delay === undefined,
});

// ---- working ----

export function claim({ worker, queues, handlers, limit, lease, wait = 0 }) {
  const weights = Array.isArray(queues) ? Object.fromEntries(queues.map((one) => [one, 1])) : queues;
  const body = { worker, queues: weights, handlers, limit, lease_ms: lease, wait_ms: wait || undefined };
  // Asked again it takes further tasks, and those of an answer that was lost wait for their lease.
  return post("/work:claim", stringify(body), (raw) => raw.tasks.map(taskOf), { safe: false, wait });
}

export const reportText = ({ id, claim, outcome, result, error, delay }) =>
  stringify({ id, claim, outcome, result: outcome === "success" ? result : undefined, error, delay_ms: delay });
export const report = (texts) =>
  post("/work:report", `{"reports":[${texts.join(",")}]}`, itemsOf((one) => one.state));
export const reportParts = (reports) => {
  const texts = reports.map(reportText);
  return partsOf([...texts.keys()], texts).map((places) => ({ places, call: report(places.map((i) => texts[i])) }));
};
export const nextReports = (texts) => partsOf([...texts.keys()], texts)[0].length;

export const extend = (held, lease) =>
  post("/work:extend", stringify({ tasks: held.map(({ id, claim }) => ({ id, claim })), lease_ms: lease }),
    itemsOf(() => undefined)); // prettier-ignore

const said = ({ id, claim }, verb, body, read, more) =>
  post(pathOf(id, verb), stringify({ claim, ...body }), read, more);

export const progress = (of, done, text) => said(of, ":progress", { done, text: text || undefined }, () => undefined);
export const log = (of, lines) => said(of, ":log", { lines }, () => undefined, { safe: false });
export const stage = (of, name, result, length) =>
  said(of, ":stage", { name, result, length_ms: Math.round(length) }, (raw) => raw.result);
export const stages = (of) =>
  said(of, ":stages", {}, (raw) => new Map(raw.stages.map(({ name, result }) => [name, result])));
