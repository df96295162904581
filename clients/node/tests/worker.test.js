// Running tasks, on a real service.
import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { Cancelled, ClaimLost, Discard, GiveBack, RetryIn, Snooze, TaskFailed, thisTask } from "../index.js";
import { event, nextLine, patience, served, until } from "./serving.js";

test("a function that fails is run again", async (t) => {
  const { client, start } = await served(t);
  const seen = [];
  start({
    shaky() {
      const { info, fence } = thisTask();
      seen.push([info.attempt, info.last_error?.message, fence]);
      if (info.attempt === 1) throw new RetryIn(10, "not yet");
      return "done";
    },
  });
  assert.equal(await (await client.submit("shaky", [], { maxRetry: 3 })).result(patience), "done");
  assert.deepEqual(seen.map(([attempt, message]) => [attempt, message]), [[1, undefined], [2, "not yet"]]); // prettier-ignore
  assert.ok(seen[0][2] < seen[1][2]);
});

test("a task whose retries are used is dead, and so is one that is discarded", async (t) => {
  const { client, start } = await served(t);
  start({
    async broken(what) {
      throw new RangeError(what);
    },
    strict() {
      throw new Discard("no such address");
    },
  });
  const dead = async (task) => {
    const why = await task.result(patience).catch((why) => why);
    assert.ok(why instanceof TaskFailed);
    assert.equal(why.state, "dead");
    return why.errors.map(({ type, message }) => [type, message]);
  };
  assert.deepEqual(await dead(await client.submit("broken", ["wheel"], { maxRetry: 0 })), [["RangeError", "wheel"]]);
  assert.deepEqual(await dead(await client.submit("strict")), [["errand.Discard", "no such address"]]);
});

test("a snoozed task comes back and has used no attempt, and so does one that is given back", async (t) => {
  const { client, start } = await served(t);
  const attempts = [];
  start({
    sleepy() {
      attempts.push(thisTask().info.attempt);
      if (attempts.length === 1) throw new Snooze(10);
      if (attempts.length === 2) throw new GiveBack();
      return "awake";
    },
  });
  assert.equal(await (await client.submit("sleepy")).result(patience), "awake");
  assert.deepEqual(attempts, [1, 1, 1]);
});

test("a result that is no JSON, or too large, fails its task alone", async (t) => {
  const { client, start } = await served(t);
  start({ odd: () => 2 ** 60, large: () => "x".repeat(5_000_000), good: () => "good" });
  const odd = await client.submit("odd", [], { maxRetry: 0 });
  const large = await client.submit("large", [], { maxRetry: 0 });
  assert.equal(await (await client.submit("good")).result(patience), "good");
  await assert.rejects(odd.result(patience), /result: a whole number beyond 2\^53/);
  await assert.rejects(large.result(patience), /too_large/);
});

test("an attempt that lasts too long has failed, and its function hears of it", async (t) => {
  const { client, start } = await served(t);
  const { happened, set } = event();
  start({ slow: () => thisTask().sleep(600_000).catch(set) });
  const task = await client.submit("slow", [], { timeout: 200, maxRetry: 0 });
  await assert.rejects(task.result(patience), /has not ended within 0.2 s/);
  assert.ok((await happened) instanceof Cancelled);
});

test("a cancellation arrives in the running function", async (t) => {
  const { client, start } = await served(t);
  const [began, ended] = [event(), event()];
  start({
    async hold() {
      began.set();
      const { signal } = thisTask();
      await once(signal, "abort");
      ended.set(signal.reason);
    },
  });
  const task = await client.submit("hold");
  await began.happened;
  assert.equal(await task.cancel(), "cancelled");
  const why = await ended.happened;
  assert.ok(why instanceof Cancelled);
  assert.match(why.message, /cancelled/);
  assert.equal((await task.info()).state, "cancelled");
});

test("a function that outlasts its lease keeps its task", async (t) => {
  const { client, start } = await served(t);
  const starts = [];
  start({
    async long() {
      starts.push(thisTask().info.attempt);
      await thisTask().sleep(2500);
      return "done";
    },
  }, { lease: 1000 }); // prettier-ignore
  assert.equal(await (await client.submit("long")).result(patience), "done");
  assert.deepEqual(starts, [1]);
});

test("a stage runs once though its task runs twice, with progress and log lines", async (t) => {
  const { client, start } = await served(t);
  let downloads = 0;
  const results = [];
  start({
    async pages() {
      const task = thisTask();
      await task.progress(0.25, "a quarter");
      await task.log("one", "two");
      const download = async () => ({ bytes: 2n ** 60n, number: ++downloads });
      results.push(await task.stage("download", download));
      if (task.info.attempt === 1) throw new RetryIn(10);
      return results.at(-1);
    },
  });
  const task = await client.submit("pages");
  assert.deepEqual(await task.result(patience), { bytes: 2n ** 60n, number: 1 });
  assert.equal(downloads, 1);
  assert.deepEqual(results[0], results[1]);
  const info = await task.info();
  assert.deepEqual([info.progress, info.progress_text], [0.25, "a quarter"]);
  assert.deepEqual(info.log.map((line) => line.split(" ").at(-1)), ["one", "two", "one", "two"]);
});

test("no more functions run at a time than may", async (t) => {
  const { client, start } = await served(t);
  let now = 0;
  let most = 0;
  const busy = async (number) => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 5));
    --now;
    return number;
  };
  const tasks = await client.submitMany(Array.from({ length: 100 }, (_, i) => ({ handler: "busy", args: [i] })));
  start({ busy }, { concurrency: 4 });
  const got = await Promise.all(tasks.map((one) => one.result(patience)));
  assert.deepEqual(got, [...got.keys()]);
  assert.equal(most, 4);
});

test("the task of a worker that was killed runs once more", async (t) => {
  const { client, program, start } = await served(t);
  const task = await client.submit("hold", ["it"]);
  const first = program();
  assert.equal(await nextLine(first), "began it 1");
  first.kill("SIGKILL");
  const attempts = [];
  start({
    hold(what) {
      attempts.push(thisTask().info.attempt);
      return what;
    },
  });
  assert.equal(await task.result(patience), "it");
  assert.deepEqual(attempts, [2]);
});

test("a worker that is told to stop gives its task back", async (t) => {
  const { client, program } = await served(t);
  const task = await client.submit("hold", ["it"]);
  const first = program();
  assert.equal(await nextLine(first), "began it 1");
  const ended = once(first, "exit");
  first.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
  const { state, attempt } = await task.info();
  assert.deepEqual([state, attempt], ["ready", 0]);
});

test("a worker that stops while it waits takes nothing", async (t) => {
  const { client, start } = await served(t);
  const worker = start({ echo: () => "run" }, { wait: 60_000 });
  await until(async () => (await client.workers()).some(({ queues }) => JSON.stringify(queues).includes("default")));
  await worker.end();
  await client.submit("echo");
  assert.deepEqual((await client.tasks("ready")).tasks.map(({ state }) => state), ["ready"]);
});

test("a service that is killed in the middle loses nothing", async (t) => {
  const { client, server, start } = await served(t);
  const half = event();
  const runs = new Set();
  const count = async (number) => {
    if (runs.add(number).size === 50) half.set();
    await new Promise((resolve) => setTimeout(resolve, 5));
    return number;
  };
  const tasks = await client.submitMany(Array.from({ length: 100 }, (_, i) => ({ handler: "count", args: [i] })));
  start({ count }, { lease: 1000, wait: 1000 });
  await half.happened;
  await server.kill();
  await server.start();
  const got = await Promise.all(tasks.map((one) => one.result(patience)));
  assert.deepEqual(got, [...got.keys()]);
  assert.equal(runs.size, 100);
});

test("a report waits for a service that is away", async (t) => {
  const { client, server, start } = await served(t);
  const [began, go, again] = [event(), event(), event()];
  let runs = 0;
  const patient = async () => {
    ++runs;
    began.set();
    await go.happened;
    return "done";
  };
  start({ patient }, { onWarning: (text) => /1 reports are sent again/.test(text) && again.set() });
  const task = await client.submit("patient");
  await began.happened;
  await server.kill();
  go.set();
  await again.happened;
  await server.start();
  assert.equal(await task.result(patience), "done");
  assert.equal(runs, 1);
});

test("reports that are too many for the service are sent one by one", async (t) => {
  const { client, start } = await served(t, { options: ["--max-body", "2000"] });
  const all = event();
  let here = 0;
  const say = async (number) => {
    if (++here === 20) all.set();
    await all.happened;
    return `${"x".repeat(200)}${number}`;
  };
  const tasks = [];
  for (let i = 0; i < 20; ++i) tasks.push(await client.submit("say", [i]));
  start({ say }, { concurrency: 20 });
  const got = await Promise.all(tasks.map((one) => one.result(patience)));
  assert.deepEqual(got, [...got.keys()].map((i) => `${"x".repeat(200)}${i}`));
  for (const one of tasks) assert.equal((await one.info()).attempt, 1);
});

test("a report whose answer was lost counts once", async (t) => {
  const { client, gate: open, start } = await served(t);
  const gate = await open();
  let runs = 0;
  const shaky = () => {
    if (++runs > 1) return "done";
    gate.loseAnswerTo("work:report");
    throw new RetryIn(10, "first");
  };
  const worker = start({ shaky }, {}, gate.url);
  const task = await client.submit("shaky");
  assert.equal(await task.result(patience), "done");
  assert.match(gate.lost[0], /"state":"retry"/);
  assert.equal(runs, 2);
  assert.deepEqual((await task.info()).errors.map(({ message }) => message), ["first"]);
  await worker.end();
  await client.submit("other");
  const [{ id, claim }] = await client.claim({ worker: "by hand", queues: ["default"], wait: 5000 });
  for (let i = 0; i < 2; ++i)
    assert.deepEqual(await client.report([{ id, claim, outcome: "success", result: 1 }]), ["success"]);
  const [late] = await client.report([{ id, claim, outcome: "discard", error: { message: "no" } }]);
  assert.ok(late instanceof ClaimLost);
});
