// By https, where the authority is one that the system does not know.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { ConnectionFailed } from "../index.js";
import { Server, patience, served } from "./serving.js";

// A service with a certificate that signs itself, and the file that a client trusts it by.
async function servedByTls(t) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "errand-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [key, authority] = ["key.pem", "cert.pem"].map((name) => path.join(folder, name));
  const made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=errand";
  const words = [...made.split(" "), "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out", authority];
  await promisify(execFile)("openssl", words);
  const options = ["--tls-certificate", authority, "--tls-key", key];
  const all = await served(t, { options });
  assert.match(all.server.url, /^https:/);
  return { ...all, authority, options };
}

test("tasks are submitted, run and awaited by https", async (t) => {
  const { connect, start, authority } = await servedByTls(t);
  const client = connect(undefined, { tls: authority });
  start({ double: (number) => 2 * number }, { tls: { ca: await readFile(authority) } });
  const tasks = await client.submitMany(Array.from({ length: 50 }, (_, i) => ({ handler: "double", args: [i] })));
  const results = await Promise.all(tasks.map((task) => task.result(patience)));
  assert.deepEqual(results, Array.from({ length: 50 }, (_, i) => 2 * i));
});

test("a service that speaks it on a unix socket is asked", async (t) => {
  const { server, folder, later, connect, start, authority, options } = await servedByTls(t);
  const listen = `https://unix:${path.join(await folder(), "errand.sock")}`;
  const there = await new Server(server.nameSpace, { listen, options }).start();
  later(() => there.stop());
  assert.match(there.url, /^https:\/\/unix:\//);
  const task = await connect(there.url, { tls: authority }).submit("double", [21]);
  start({ double: (number) => 2 * number }, { tls: authority }, there.url);
  assert.equal(await task.result(patience), 42);
  // Nobody else is taken for it.
  await assert.rejects(connect(there.url, { retryFor: 0 }).queues(), ConnectionFailed);
});

test("a service that is not trusted is not asked", async (t) => {
  const { connect } = await servedByTls(t);
  await assert.rejects(connect(undefined, { retryFor: 0 }).queues(), ConnectionFailed);
});
