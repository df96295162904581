// Hands in what became of tasks, many in one request, and again until each is taken or refused.
import * as calls from "./calls.js";
import { BadRequest, Discard, ErrandError, GiveBack, RetryIn, ServiceError, Snooze, Unavailable } from "./errors.js";
import { sleep } from "./retry.js";

const longestPause = 1000;

export class Reports {
  #client;
  #warn;
  #waiting = [];
  #sending = false;

  constructor(client, warn) {
    this.#client = client;
    this.#warn = warn;
  }

  // `done()`: it is answered, and nothing more is to be said of it.
  add(report, done) {
    this.#waiting.push({ id: report.id, claim: report.claim, text: textOf(report), done });
    if (!this.#sending) this.#send();
  }

  async #send() {
    this.#sending = true;
    let pause = 0;
    await null; // what ends together goes together
    while (this.#waiting.length) {
      const batch = this.#waiting.splice(0, calls.nextReports(this.#waiting.map(({ text }) => text)));
      const again = await this.#sendBatch(batch);
      this.#waiting.unshift(...again);
      pause = again.length ? Math.min(Math.max(pause * 2, 100), longestPause) : 0;
      if (pause) await sleep(pause);
    }
    this.#sending = false;
  }

  // Those that are to be sent again.
  async #sendBatch(batch) {
    let results;
    try {
      results = await this.#client.ask(calls.report(batch.map(({ text }) => text)));
    } catch (why) {
      if (!(why instanceof BadRequest)) {
        this.#warn(`${batch.length} reports are sent again: ${why.message}`);
        return batch;
      }
      if (batch.length === 1) return this.#refused(batch[0], why);
      const again = [];
      for (const one of batch) again.push(...(await this.#sendBatch([one])));
      return again;
    }
    return batch.flatMap((one, i) => {
      const result = results[i];
      if (result instanceof BadRequest) return this.#refused(one, result);
      if (result instanceof Unavailable) return [one];
      one.done();
      return [];
    });
  }

  #refused(one, why) {
    const instead = textOf(failure(one, "errand.BadRequest", why.message));
    if (instead !== one.text) return [{ ...one, text: instead }];
    this.#warn(`task ${one.id}: the service does not take its report: ${why.message}`);
    one.done();
    return [];
  }
}

function textOf(report) {
  try {
    return calls.reportText(report);
  } catch (why) {
    return calls.reportText(failure(report, "errand.BadValue", why.message));
  }
}

export function failure({ id, claim }, type, message, delay) {
  return { id, claim, outcome: "failure", error: { type: plain(type, 200), message: plain(message, 4000) }, delay };
}

// What an error says may be no text at all.
const plain = (text, most) => Buffer.from(String(text).slice(0, most)).toString("utf8");

export function success({ id, claim }, result) {
  return { id, claim, outcome: "success", result: result ?? null };
}

// What is said of a task whose function has thrown.
export function reportOf(task, why) {
  const { id, claim } = task;
  const cause = why?.cause instanceof Error ? why.cause : why;
  const type = cause instanceof ErrandError ? `errand.${cause.name}` : (cause?.name ?? typeof cause);
  const message = why?.message || String(why);
  if (why instanceof Snooze) return { id, claim, outcome: "snooze", delay: why.delay };
  if (why instanceof GiveBack) return { id, claim, outcome: "give_back" };
  if (why instanceof Discard) return { ...failure(task, type, message), outcome: "discard" };
  return failure(task, type, message, why instanceof RetryIn ? why.delay : undefined);
}

export const isLost = (why) => why instanceof ServiceError && ["claim_lost", "not_found"].includes(why.code);
