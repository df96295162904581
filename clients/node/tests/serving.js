// What the tests share: a real `errand serve` on the store that ERRAND_STORE names, and a line that loses answers.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";
import { randomUUID } from "node:crypto";
import { Client, Worker } from "../index.js";

// Milliseconds after which something that is to come does not come.
export const patience = 60_000;

export class Server {
  constructor(nameSpace, { listen = "127.0.0.1:0", options = [] } = {}) {
    this.nameSpace = nameSpace;
    this.listen = listen;
    this.options = options;
  }

  async start() {
    const env = { ...process.env, ERRAND_NAME_SPACE: this.nameSpace, ERRAND_LOG_LEVEL: "error" };
    const given = ["serve", "--json", "--access-log", "off", "--listen", this.listen, ...this.options];
    this.process = spawn(process.env.ERRAND_PROGRAM, given, { env, stdio: ["ignore", "pipe", "inherit"] });
    this.url = JSON.parse(await nextLine(this.process)).listening[0];
    // The same one, when it is started again.
    if (this.url.startsWith("http://")) this.listen = this.url.slice("http://".length);
    return this;
  }

  async end(signal) {
    const ended = once(this.process, "exit");
    this.process.kill(signal);
    await ended;
  }
  kill() {
    return this.end("SIGKILL");
  }
  stop() {
    return this.end("SIGTERM");
  }
}

export async function nextLine(process) {
  const lines = (process.lines ??= readline.createInterface({ input: process.stdout })[Symbol.asyncIterator]());
  const { value, done } = await lines.next();
  if (done) throw new Error("the process has ended");
  return value;
}

// Stands between a client and a server, and loses the answer to a request that has `marked` in it when told so.
export class Gate {
  lost = [];
  #marked;

  static async before(url) {
    const gate = new Gate();
    const { hostname, port } = new URL(url);
    gate.server = net.createServer((near) => gate.#carry(near, net.connect(Number(port), hostname)));
    gate.server.listen(0, "127.0.0.1");
    await once(gate.server, "listening");
    gate.url = `http://127.0.0.1:${gate.server.address().port}`;
    return gate;
  }

  loseAnswerTo(marked) {
    this.#marked = marked;
  }

  // One request after the other: both sides take turns.
  #carry(near, far) {
    let lose = false;
    near.on("data", (bytes) => {
      lose ||= this.#marked !== undefined && bytes.includes(this.#marked);
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (!lose) return near.write(bytes);
      this.#marked = undefined;
      this.lost.push(bytes.toString());
      near.destroy();
      far.destroy();
    });
    for (const [one, other] of [[near, far], [far, near]]) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    } // prettier-ignore
  }

  close() {
    this.server.close();
  }
}

// A namespace and a server of its own for each test: `t` is the test's.
export async function served(t, options) {
  const server = await new Server(`js${randomUUID().slice(0, 12)}`, options).start();
  const ends = [() => server.stop()];
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const { nameSpace } = server;
  const connect = (url = server.url, more = {}) => {
    const client = new Client(url, { nameSpace, ...more });
    ends.push(() => client.close());
    return client;
  };
  return {
    server,
    connect,
    client: connect(),
    later: (end) => ends.push(end),
    // Runs until the test ends, or is told to stop; `ended` is its serve().
    start(functions, more = {}, url = server.url) {
      const worker = new Worker(url, { nameSpace, heartbeat: 100, onWarning() {}, ...more });
      for (const [name, run] of Object.entries(functions)) worker.add(name, run);
      worker.ended = worker.serve();
      worker.ended.catch(() => {});
      worker.end = async () => {
        worker.stop();
        await worker.ended;
      };
      ends.push(() => worker.end().catch(() => {}));
      return worker;
    },
    async gate() {
      const gate = await Gate.before(server.url);
      ends.push(() => gate.close());
      return gate;
    },
    // tests/programs/worker.js, a worker in a process of its own.
    program() {
      const file = fileURLToPath(new URL("programs/worker.js", import.meta.url));
      const one = spawn(process.execPath, [file, server.url, nameSpace], { stdio: ["ignore", "pipe", "inherit"] });
      ends.push(() => one.kill("SIGKILL"));
      return one;
    },
    async folder() {
      const place = await mkdtemp(path.join(os.tmpdir(), "errand-"));
      ends.push(() => rm(place, { recursive: true, force: true }));
      return place;
    },
  };
}

// A promise, and what fulfils it.
export function event() {
  let set;
  const happened = new Promise((resolve) => (set = resolve));
  return { happened, set };
}

export async function until(reached) {
  const end = Date.now() + patience;
  while (Date.now() < end) {
    const got = await reached();
    if (got) return got;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("it did not come");
}
