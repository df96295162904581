// The task that a function runs, as the function sees it.
import { AsyncLocalStorage } from "node:async_hooks";
import * as calls from "./calls.js";
import { Cancelled, ServiceError } from "./errors.js";

export const current = new AsyncLocalStorage();

export class RunningTask {
  #say;
  #gone = new AbortController();
  #stages;
  #warn;

  // `say(call)` asks the service, and lets go of a task that is lost.
  constructor(info, say, warn) {
    this.info = info;
    this.#say = say;
    this.#warn = warn;
  }

  get signal() {
    return this.#gone.signal;
  }
  get cancelled() {
    return this.#gone.signal.aborted;
  }
  get fence() {
    return BigInt(this.info.claim.split(".", 1)[0]);
  }

  check() {
    this.#gone.signal.throwIfAborted();
  }

  progress(done, text = "") {
    return this.#show(calls.progress(this.info, done, text));
  }

  log(...lines) {
    return this.#show(calls.log(this.info, lines));
  }

  async stage(name, what) {
    this.#stages ??= await this.#ask(calls.stages(this.info));
    if (!this.#stages.has(name)) {
      const began = performance.now();
      const result = await what();
      this.#stages.set(name, await this.#ask(calls.stage(this.info, name, result ?? null, performance.now() - began)));
    }
    return this.#stages.get(name);
  }

  sleep(length) {
    return new Promise((resolve, reject) => {
      if (this.cancelled) return reject(this.signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(this.signal.reason);
      };
      const timer = setTimeout(() => {
        this.signal.removeEventListener("abort", stop);
        resolve();
      }, length);
      this.signal.addEventListener("abort", stop, { once: true });
    });
  }

  /** @internal */
  letGo(why) {
    this.#gone.abort(new Cancelled(why));
  }

  async #ask(call) {
    this.check();
    try {
      return await this.#say(call);
    } catch (why) {
      if (why instanceof ServiceError) this.check();
      throw why;
    }
  }

  // What is only to be shown is no reason to fail.
  async #show(call) {
    try {
      await this.#ask(call);
    } catch (why) {
      this.check();
      this.#warn(`task ${this.info.id}: its progress or log line is not kept: ${why.message}`);
    }
  }
}

export function thisTask() {
  const task = current.getStore();
  if (!task) throw new Error("no function of a worker runs here");
  return task;
}
