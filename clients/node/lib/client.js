import * as calls from "./calls.js";
import { Connections } from "./connections.js";
import { ConnectionFailed, ResultTimeout, failureOf } from "./errors.js";
import { Patience, sleep } from "./retry.js";

export class Task {
  #client;

  constructor(client, id, created) {
    this.#client = client;
    this.id = id;
    this.created = created;
  }

  result(timeout) {
    return this.#client.result(this.id, timeout);
  }
  info() {
    return this.#client.info(this.id);
  }
  cancel() {
    return this.#client.cancel(this.id);
  }
}

export class Client {
  #connections;
  #token;
  #nameSpace;
  #timeout;
  #retryFor;

  constructor(url = "http://127.0.0.1:7070", options = {}) {
    const { token, nameSpace = "default", timeout = 30_000, retryFor = 30_000, tls } = options;
    this.#connections = new Connections(url, tls);
    this.#token = token;
    this.#nameSpace = nameSpace;
    this.#timeout = timeout;
    this.#retryFor = retryFor;
  }

  close() {
    this.#connections.close();
  }

  // ---- submitting ----

  async submit(handler, args = [], options = {}) {
    const { id, created } = await this.ask(calls.submit({ ...options, handler, args }));
    return new Task(this, id, created);
  }

  async submitMany(tasks, { key } = {}) {
    const all = await this.#askParts(calls.submitMany(tasks, key), tasks.length);
    return all.map((one) => (one instanceof Error ? one : new Task(this, one.id, one.created)));
  }

  // ---- waiting and looking ----

  async result(id, timeout) {
    const task = await this.wait(id, timeout);
    if (task.state === "success") return task.result;
    throw failureOf(task);
  }

  async wait(id, timeout = Infinity) {
    const end = performance.now() + timeout;
    for (;;) {
      const left = Math.max(Math.min(end - performance.now(), calls.longestWait), 0);
      const task = await this.ask(calls.info(id, left));
      if (["success", "dead", "cancelled", "expired"].includes(task.state)) return task;
      if (performance.now() >= end)
        throw new ResultTimeout(`the task ${id} is ${task.state}, and has not ended within ${timeout} ms`);
    }
  }

  info(id) {
    return this.ask(calls.info(id));
  }
  find(handler, bizId) {
    return this.ask(calls.found(handler, bizId));
  }
  tasks(state, options = {}) {
    return this.ask(calls.listed({ state, ...options }));
  }
  queues() {
    return this.ask(calls.queues());
  }
  workers() {
    return this.ask(calls.workers());
  }

  // ---- changing ----

  cancel(id) {
    return this.ask(calls.cancel(id));
  }
  revive(id) {
    return this.ask(calls.revive(id));
  }
  reschedule(id, when) {
    return this.ask(calls.reschedule(id, when));
  }
  change(id, what) {
    return this.ask(calls.change(id, what));
  }

  // ---- working: what Worker is made of ----

  claim(wish) {
    return this.ask(calls.claim(wish));
  }

  report(reports) {
    return this.#askParts(calls.reportParts(reports), reports.length);
  }

  async extend(held, lease) {
    const all = [];
    for (let at = 0; at < held.length; at += calls.mostItems)
      all.push(...(await this.ask(calls.extend(held.slice(at, at + calls.mostItems), lease))));
    return all;
  }

  // ---- asking ----

  async #askParts(parts, size) {
    const all = new Array(size);
    for (const { places, call } of parts) {
      const results = await this.ask(call);
      places.forEach((place, i) => (all[place] = results[i]));
    }
    return all;
  }

  /** @internal */
  async ask(call, line) {
    const request = this.#requestOf(call, line);
    const patience = new Patience(this.#retryFor, call.safe);
    for (let fresh = false; ; ) {
      let pause;
      try {
        const got = await this.#connections.exchange(request);
        pause = patience.afterAnswer(got);
        if (pause === undefined) {
          const document = calls.answerOf(got);
          if (calls.hasUnstoredItem(document)) pause = patience.afterItem();
          if (pause === undefined) return call.read(document);
        }
      } catch (why) {
        if (why.sent === undefined) throw why;
        // One that was kept may have been closed meanwhile: that is no reason to pause.
        pause = why.stale && call.safe && !fresh ? 0 : patience.afterFailure(why.sent);
        fresh = why.stale;
        if (pause === undefined)
          throw new ConnectionFailed(`${call.method} ${call.path}: ${why.message || why.code}`, why.sent, why);
      }
      await sleep(pause);
    }
  }

  #requestOf({ method, path, query = {}, body, key, wait }, line) {
    const headers = { Host: this.#connections.host, Accept: "application/json", "Accept-Encoding": "gzip" };
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    if (key !== undefined) headers["Idempotency-Key"] = key;
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
      headers["Content-Length"] = Buffer.byteLength(body);
    }
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(given).toString();
    const target = `/v1/${encodeURIComponent(this.#nameSpace)}${path}${search ? `?${search}` : ""}`;
    return { method, target, headers, body, within: this.#timeout + wait, line };
  }
}
