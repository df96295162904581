// Submitting, waiting and looking, on a real service.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import test from "node:test";
import {
  BadRequest, Client, Conflict, ConnectionFailed, NotAllowed, NotFound, ResultTimeout, Task, TaskCancelled,
  Unavailable, Worker,
} from "../index.js"; // prettier-ignore
import { Server, patience, served } from "./serving.js";

const echo = (...args) => args;

test("a task is submitted, run, and its result arrives", async (t) => {
  const { client, start } = await served(t);
  const task = await client.submit("echo", [1, "two", null, { three: [true] }]);
  assert.equal(task.created, true);
  start({ echo });
  assert.deepEqual(await task.result(patience), [1, "two", null, { three: [true] }]);
  assert.equal((await task.info()).state, "success");
});

test("unicode and large numbers survive, none is rounded", async (t) => {
  const { client, start } = await served(t);
  const values = ["naïve – 火 – 🜂 – \u0000 – \\ \" \n", 2n ** 53n + 1n, 2n ** 64n - 1n, -(2n ** 63n), 0.1, 1e300];
  const task = await client.submit("echo", [...values, { ключ: "значение" }], {
    bizId: "ид 🜂",
    headers: { x: "ü" },
    tags: ["тег"],
  });
  start({ echo });
  assert.deepEqual(await task.result(patience), [...values, { ключ: "значение" }]);
  const info = await task.info();
  assert.deepEqual([info.biz_id, info.headers, info.tags], ["ид 🜂", { x: "ü" }, ["тег"]]);
});

test("of many a bad one is refused by itself, and more than a request takes go in several", async (t) => {
  const { client } = await served(t);
  const tasks = Array.from({ length: 1100 }, (_, i) => ({ handler: "echo", args: [i], queue: "pile" }));
  tasks[2].priority = 99;
  tasks[4].bizId = "four";
  const done = await client.submitMany(tasks);
  const [refused] = done.splice(2, 1);
  assert.ok(refused instanceof BadRequest);
  assert.equal(refused.path, "tasks[2].priority");
  assert.ok(done.every((one) => one instanceof Task && one.created));
  const pile = (await client.queues()).find(({ name }) => name === "pile");
  assert.equal(pile.tasks.ready, 1099);
});

test("all that a submission may say arrives, and what it may not is refused", async (t) => {
  const { client } = await served(t);
  const first = await client.submit("echo", [], { delay: 3_600_000 });
  const at = new Date("2031-05-06T07:08:09Z");
  const options = { queue: "odd", at, priority: 7, timeout: 120_000, maxRetry: 3, expiresAfter: 60_000 };
  const task = await client.submit("echo", [1], { ...options, bizId: "all", retention: 3_600_000, onDuplicate: "reject" });
  const info = await task.info();
  assert.deepEqual([info.handler, info.queue, info.state, info.max_retry], ["echo", "odd", "delayed", 3]);
  assert.deepEqual(info.due_at, at);
  const waiting = await (await client.submit("echo", [], { after: [first.id], onFailedDependency: "run" })).info();
  assert.deepEqual([waiting.state, waiting.after], ["waiting", [first.id]]);
  await assert.rejects(client.submit("echo", [1], { bizId: "all", onDuplicate: "reject" }), Conflict);
  assert.equal((await client.submit("echo", [2], { bizId: "all", onDuplicate: "replace" })).id, task.id);
  assert.deepEqual((await task.info()).args, [2]);
  await assert.rejects(client.submit("echo", [], { delayMs: 1 }), TypeError);
});

test("a submission whose answer was lost counts once", async (t) => {
  const { client, connect, gate: open, server } = await served(t);
  const gate = await open();
  gate.loseAnswerTo(`POST /v1/${server.nameSpace}/tasks HTTP`);
  const task = await connect(gate.url).submit("echo", ["once"]);
  assert.match(gate.lost[0], / 201 /);
  assert.ok(gate.lost[0].includes(task.id));
  assert.equal(task.created, false);
  assert.equal((await client.tasks("ready")).tasks.length, 1);
});

test("an error has the code, message and path of the service", async (t) => {
  const { client, server } = await served(t);
  await client.submit("echo", [1], { key: "k-1" });
  await assert.rejects(client.submit("echo", [2], { key: "k-1" }), { status: 422, code: "key_reused" });
  const bad = client.submit("echo", [], { onDuplicate: "perhaps" });
  await assert.rejects(bad, { name: "BadRequest", status: 400, code: "bad_request", path: "on_duplicate" });
  await assert.rejects(client.info("019a0000-0000-7000-8000-000000000000"), NotFound);
  const elsewhere = new Client(server.url, { nameSpace: "elsewhere" });
  await assert.rejects(elsewhere.queues(), NotFound);
  elsewhere.close();
});

test("a task is found, cancelled, revived, changed and rescheduled", async (t) => {
  const { client } = await served(t);
  const task = await client.submit("echo", [1], { bizId: "o-1", delay: 3_600_000 });
  assert.equal((await client.find("echo", "o-1")).id, task.id);
  assert.equal(await client.find("echo", "o-2"), undefined);
  assert.deepEqual((await client.change(task.id, { args: [2], priority: 9 })).args, [2]);
  assert.equal((await client.reschedule(task.id, { delay: 0 })).id, task.id);
  await assert.rejects(task.result(100), ResultTimeout);
  assert.equal(await task.cancel(), "cancelled");
  await assert.rejects(task.result(patience), TaskCancelled);
  assert.equal(await client.revive(task.id), "ready");
  await assert.rejects(client.revive(task.id), Conflict);
});

test("a service that goes and comes back is waited for, and one that is not there is an error", async (t) => {
  const { client, connect, server } = await served(t);
  await client.submit("echo"); // its connection is kept, and is closed by what follows
  await server.kill();
  await assert.rejects(connect(server.url, { retryFor: 0 }).queues(), (why) => why instanceof ConnectionFailed && !why.sent);
  const coming = client.submit("echo");
  await server.start();
  assert.equal((await coming).created, true);
});

test("a service on a unix socket is asked", async (t) => {
  const { server, folder, later, start } = await served(t);
  const socket = path.join(await folder(), "errand.sock");
  const there = await new Server(server.nameSpace, { listen: `unix:${socket}` }).start();
  later(() => there.stop());
  const client = new Client(`unix:${socket}`, { nameSpace: server.nameSpace });
  later(() => client.close());
  const task = await client.submit("echo", ["by file"]);
  start({ echo }, {}, `unix:${socket}`);
  assert.deepEqual(await task.result(patience), ["by file"]);
});

test("a wrong token is refused and says so, and the right one is let in", async (t) => {
  const token = `errand_${"a".repeat(64)}`;
  const file = path.join(process.env.TMPDIR ?? "/tmp", `errand-tokens-${process.pid}`);
  await writeFile(file, `shop submit,work ${createHash("sha256").update(token).digest("hex")}\n`, { mode: 0o600 });
  const { client, connect, server, start } = await served(t, { options: ["--tokens", file] });
  await assert.rejects(client.submit("echo"), (why) => why instanceof NotAllowed && why.status === 401);
  await assert.rejects(connect(server.url, { token: "errand_b" }).queues(), NotAllowed);
  const refused = new Worker(server.url, { nameSpace: server.nameSpace, token: "errand_b" }).add("echo", echo);
  await assert.rejects(refused.serve(), NotAllowed);
  const task = await connect(server.url, { token }).submit("echo", [1]);
  start({ echo }, { token });
  assert.deepEqual(await task.result(patience), [1]);
});

test("a token asks as often as its rate allows", async (t) => {
  const token = `errand_${"a".repeat(64)}`;
  const file = path.join(process.env.TMPDIR ?? "/tmp", `errand-rates-${process.pid}`);
  const line = `shop submit ${createHash("sha256").update(token).digest("hex")}`;
  await writeFile(file, `${line} rate=2/s\n`, { mode: 0o600 });
  const { connect, server } = await served(t, { options: ["--tokens", file] });
  const client = connect(server.url, { token });
  const ids = new Set();
  for (let i = 0; i < 5; ++i) ids.add((await client.submit("echo", [i])).id);
  assert.equal(ids.size, 5);
  await writeFile(file, `${line} rate=1/h\n`, { mode: 0o600 });
  const hasty = connect(server.url, { token, retryFor: 0 });
  const twice = async () => [await hasty.queues(), await hasty.queues()];
  await assert.rejects(twice(), (why) => why instanceof Unavailable && why.code === "rate_limited");
});
