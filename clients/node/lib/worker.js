import os from "node:os";
import { randomUUID } from "node:crypto";
import * as calls from "./calls.js";
import { Client } from "./client.js";
import { Line } from "./connections.js";
import { BadRequest, NotAllowed, NotFound } from "./errors.js";
import { Reports, failure, isLost, reportOf, success } from "./reports.js";
import { RunningTask, current } from "./running.js";

const longestPause = 5000;
const toTakeLeave = 5000;
const longestTimer = 2 ** 31 - 1;

export class Worker {
  #client;
  #options;
  #reports;
  #functions = new Map();
  #held = new Map(); // by claim and id: attempts whose report was not answered
  #busy = 0; // functions that run, also those that do not count
  #line = new Line();
  #waiting = new Set(); // those who wait for any change
  #stops = 0;
  #keeping = false;

  constructor(url = "http://127.0.0.1:7070", options = {}) {
    const { token, nameSpace, tls, ...rest } = options;
    const lease = rest.lease ?? 30_000;
    const heartbeat = rest.heartbeat ?? Math.min(lease / 3, 5000);
    this.name = rest.name ?? `${os.hostname().slice(0, 60)}:${process.pid}:${randomUUID().slice(0, 8)}`;
    this.#options = {
      queues: ["default"],
      concurrency: 10,
      wait: 20_000,
      stopGrace: 10_000,
      timeout: 10_000,
      onWarning: (text) => console.warn(`errand: ${text}`),
      ...rest,
      lease,
      heartbeat,
    };
    const { timeout } = this.#options;
    this.#client = new Client(url, { token, nameSpace, tls, timeout, retryFor: Math.min(heartbeat, 5000) });
    this.#reports = new Reports(this.#client, this.#options.onWarning);
  }

  add(handler, run) {
    if (this.#functions.has(handler)) throw new TypeError(`the handler "${handler}" has a function already`);
    this.#functions.set(handler, run);
    return this;
  }

  // ---- its life ----

  async run() {
    const stop = () => this.stop();
    process.on("SIGTERM", stop).on("SIGINT", stop);
    try {
      await this.serve();
    } finally {
      process.off("SIGTERM", stop).off("SIGINT", stop);
    }
  }

  async serve() {
    if (!this.#functions.size) throw new TypeError("the worker has no functions: worker.add(handler, run)");
    const beats = setInterval(() => this.#keepLeases(), this.#options.heartbeat);
    try {
      await this.#claimTasks();
    } finally {
      await this.#until(() => this.#stops > 1 || this.#allClosed(), this.#options.stopGrace);
      for (const one of this.#held.values()) {
        if (!one.closed) this.#close(one, { ...one.key, outcome: "give_back" }, "the worker stops");
      }
      await this.#until(() => !this.#held.size, toTakeLeave);
      clearInterval(beats);
      if (this.#held.size)
        this.#warn(`${this.#held.size} tasks were not handed in: they come back when their leases end`);
      this.#client.close();
    }
  }

  stop() {
    this.#stops += 1;
    // The service takes back what it has not sent; what it has sent is given back.
    this.#line.sayNoMore();
    this.#changed();
  }

  #warn(text) {
    this.#options.onWarning(text);
  }

  #changed() {
    for (const one of this.#waiting) one();
  }

  #until(reached, within) {
    return new Promise((resolve) => {
      let timer;
      const look = () => {
        if (!reached()) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      if (within !== undefined) {
        timer = setTimeout(() => {
          this.#waiting.delete(look);
          resolve();
        }, within);
      }
      this.#waiting.add(look);
      look();
    });
  }

  #allClosed() {
    return [...this.#held.values()].every(({ closed }) => closed);
  }

  // ---- taking ----

  async #claimTasks() {
    const { concurrency } = this.#options;
    let pause = 0;
    let proven = false;
    while (!this.#stops) {
      try {
        if (this.#busy >= concurrency) await this.#until(() => this.#busy < concurrency || this.#stops > 0);
        else await this.#claimSome(concurrency - this.#busy);
        pause = 0;
        proven = true;
      } catch (why) {
        if (this.#stops) break;
        const refused = why instanceof BadRequest || why instanceof NotAllowed || why instanceof NotFound;
        if (refused && !proven) throw why;
        if (!pause) this.#warn(`no tasks can be taken: ${why.message}`);
        pause = Math.min(Math.max(pause * 2, 100), longestPause);
        await this.#until(() => this.#stops > 0, pause * (0.75 + Math.random() / 4));
      }
    }
  }

  async #claimSome(free) {
    const { queues, lease, wait } = this.#options;
    const wish = { worker: this.name, queues, handlers: [...this.#functions.keys()], lease, wait };
    const tasks = await this.#client.ask(calls.claim({ ...wish, limit: Math.min(free, calls.mostItems) }), this.#line);
    for (const one of tasks) this.#begin(one);
  }

  #begin(info) {
    const { id, claim } = info;
    const attempt = { key: { id, claim }, closed: false, timer: undefined };
    attempt.task = new RunningTask(info, (call) => this.#say(attempt, call), this.#options.onWarning);
    this.#held.set(`${claim} ${id}`, attempt);
    this.#busy += 1;
    if (info.timeout_ms) {
      const why = `it has not ended within ${info.timeout_ms / 1000} s`;
      const timeOut = () => this.#close(attempt, failure(info, "errand::timed_out", why), why);
      attempt.timer = setTimeout(timeOut, Math.min(info.timeout_ms, longestTimer));
    }
    current.run(attempt.task, () => this.#call(attempt));
  }

  async #call(attempt) {
    const { info } = attempt.task;
    let report;
    try {
      report = success(info, await this.#functions.get(info.handler)(...info.args));
    } catch (why) {
      report = reportOf(info, why);
    }
    this.#busy -= 1;
    this.#close(attempt, report);
  }

  // ---- ends ----

  // `gone`: what the function does from here on does not count, and why.
  #close(attempt, report, gone) {
    if (!attempt.closed) {
      attempt.closed = true;
      clearTimeout(attempt.timer);
      this.#reports.add(report, () => this.#forget(attempt));
      if (gone) attempt.task.letGo(gone);
    }
    this.#changed();
  }

  #lose(attempt, why) {
    if (!attempt.closed) {
      attempt.closed = true;
      clearTimeout(attempt.timer);
      attempt.task.letGo(why.text);
      this.#forget(attempt);
    }
  }

  #forget(attempt) {
    this.#held.delete(`${attempt.key.claim} ${attempt.key.id}`);
    this.#changed();
  }

  async #say(attempt, call) {
    try {
      return await this.#client.ask(call);
    } catch (why) {
      if (isLost(why)) this.#lose(attempt, why);
      throw why;
    }
  }

  // ---- leases ----

  async #keepLeases() {
    if (this.#keeping) return;
    this.#keeping = true;
    await this.#keepAll([...this.#held.values()]);
    this.#keeping = false;
  }

  async #keepAll(held) {
    for (let at = 0; at < held.length; at += calls.mostItems) {
      const some = held.slice(at, at + calls.mostItems);
      try {
        const results = await this.#client.ask(calls.extend(some.map(({ key }) => key), this.#options.lease));
        // Who has said how it ends hears from the answer to that.
        results.forEach((why, i) => isLost(why) && this.#lose(some[i], why));
      } catch (why) {
        if (this.#held.size) this.#warn(`the leases of ${some.length} tasks were not extended: ${why.message}`);
      }
    }
  }
}
