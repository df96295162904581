// A worker that tests kill and stop: worker.js URL NAMESPACE. Says what it begins, line by line.
import { Worker, thisTask } from "../../index.js";

const [url, nameSpace] = process.argv.slice(2);
const worker = new Worker(url, { nameSpace, lease: 1000, stopGrace: 0 });
worker.add("hold", async (what) => {
  const task = thisTask();
  process.stdout.write(`began ${what} ${task.info.attempt}\n`);
  await task.sleep(600_000);
});
await worker.run();
