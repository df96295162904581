// By https, where the authority is one that the system does not know.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { ConnectionFailed } from "../index.js";
import { patience, served } from "./serving.js";

// A service with a certificate that signs itself, and the file that a client trusts it by.
async function servedByTls(t) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "errand-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [key, authority] = ["key.pem", "cert.pem"].map((name) => path.join(folder, name));
  const made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=errand";
  const words = [...made.split(" "), "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", authority];
  await promisify(execFile)("openssl", words);
  const all = await served(t, { options: ["--tls-certificate", authority, "--tls-key", key] });
  assert.match(all.server.url, /^https:/);
  return { ...all, authority };
}

test("tasks are submitted, run and awaited by https", async (t) => {
  const { connect, start, authority } = await servedByTls(t);
  const client = connect(undefined, { tls: authority });
  start({ double: (number) => 2 * number }, { tls: { ca: await readFile(authority) } });
  const tasks = await client.submitMany(Array.from({ length: 50 }, (_, i) => ({ handler: "double", args: [i] })));
  const results = await Promise.all(tasks.map((task) => task.result(patience)));
  assert.deepEqual(results, Array.from({ length: 50 }, (_, i) => 2 * i));
});

test("a service that is not trusted is not asked", async (t) => {
  const { connect } = await servedByTls(t);
  await assert.rejects(connect(undefined, { retryFor: 0 }).queues(), ConnectionFailed);
});
