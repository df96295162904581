#!/usr/bin/env node
// BullMQ doing the measures of benchmarks/README.md: bench.mjs MEASURE [name=value ...]
// At least once, as BullMQ always is. Jobs are removed when they are done, and nothing else differs from its defaults.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { Queue, Worker } = createRequire(new URL('../../../build/bench/peers/', import.meta.url))('bullmq');

const bulkSize = 1000;
const warmUp = 1000; // V8 has compiled both sides by then
const overSocket = { path: process.env.BENCH_SOCKET, maxRetriesPerRequest: null };
const overTcp = { host: '127.0.0.1', port: Number(process.env.BENCH_PORT), maxRetriesPerRequest: null };
const options = { removeOnComplete: true, removeOnFail: true };

const payload = (id) => ({ id, name: 'abcdefgh' });
const sumOfIds = (tasks) => (tasks * (tasks + 1)) / 2;

// The same in all processes of a machine.
const now = () => Number(process.hrtime.bigint());

function fail(sentence) {
    console.error(`bullmq: ${sentence}`);
    process.exit(1);
}

function redisCpu() {
    const threads = `/proc/${process.env.BENCH_REDIS_PID}/task`;
    const nanoseconds = (thread) => Number(readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ')[0]);
    return readdirSync(threads).map(nanoseconds).reduce((sum, one) => sum + one, 0) / 1e9;
}

function stopwatch() {
    const from = now();
    const cpu = process.cpuUsage();
    const redis = redisCpu();
    return () => {
        const { user, system } = process.cpuUsage(cpu);
        return { seconds: (now() - from) / 1e9, client_cpu: (user + system) / 1e6, redis_cpu: redisCpu() - redis };
    };
}

async function openQueue(connection) {
    const queue = new Queue('bench', { connection, defaultJobOptions: options });
    queue.on('error', (error) => fail(error.message));
    await queue.waitUntilReady();
    return queue;
}

async function addBulk(queue, tasks) {
    for (let done = 0; done < tasks; done += bulkSize) {
        const size = Math.min(bulkSize, tasks - done);
        const job = (_, at) => ({ name: 'noop', data: payload(done + at + 1) });
        await queue.addBulk(Array.from({ length: size }, job));
    }
}

async function checkWaiting(queue, tasks) {
    let count = 0;
    let sum = 0;
    for (let from = 0; from < tasks; from += bulkSize) {
        for (const job of await queue.getWaiting(from, from + bulkSize - 1)) {
            count += 1;
            sum += job.data.id;
        }
    }
    const waiting = await queue.getWaitingCount();
    if (waiting !== tasks || count !== tasks || sum !== sumOfIds(tasks)) {
        fail(`submitted ${tasks} tasks, but ${waiting} wait, with ids that make ${sum}`);
    }
}

async function submit(connection, tasks, add) {
    const queue = await openQueue(connection);
    const spent = stopwatch();
    await add(queue);
    const result = { tasks, ...spent() };
    await checkWaiting(queue, tasks);
    await queue.close();
    return result;
}

async function submitConcurrently(queue, tasks, callers) {
    let last = 0;
    const caller = async () => {
        while (last < tasks) await queue.add('noop', payload(++last));
    };
    await Promise.all(Array.from({ length: callers }, caller));
}

// The worker's process: says 'ready', works from the message 'go' on, and reports when it has done all.
async function work({ tasks, concurrency }) {
    const delays = [];
    let executed = 0;
    let completed = 0;
    let sum = 0;
    const perform = async (job) => {
        executed += 1;
        sum += job.data.id;
        if (job.data.at) delays.push(now() - job.data.at);
    };
    const worker = new Worker('bench', perform, { connection: overSocket, concurrency, autorun: false });
    worker.on('error', (error) => fail(error.message));
    worker.on('failed', (_, error) => fail(error.message));
    const all = new Promise((resolve) => {
        worker.on('completed', () => {
            if (++completed === tasks) resolve();
        });
    });
    await worker.waitUntilReady();
    process.on('disconnect', () => process.exit(1)); // nobody wants the report any more
    process.send('ready');
    await once(process, 'message');
    const spent = stopwatch();
    worker.run();
    await all;
    const result = spent();
    await worker.close();
    process.send({ result, executed, sum, delays }, () => process.exit(0));
}

async function withWorker(tasks, concurrency, before, after) {
    const worker = fork(fileURLToPath(import.meta.url), ['work', `tasks=${tasks}`, `concurrency=${concurrency}`]);
    worker.on('exit', (code) => code === 0 || fail('the worker died'));
    await once(worker, 'message');
    const queue = await openQueue(overSocket);
    await before(queue);
    worker.send('go');
    const [[report]] = await Promise.all([once(worker, 'message'), after(queue)]);
    const left = await queue.getJobCountByTypes('waiting', 'active', 'delayed', 'failed', 'prioritized');
    if (report.executed !== tasks || report.sum !== sumOfIds(tasks) || left !== 0) {
        fail(`${report.executed} of ${tasks} tasks were executed, with ids that make ${report.sum}, and ${left} left`);
    }
    await queue.close();
    return report;
}

async function drain({ tasks, concurrency }) {
    const report = await withWorker(tasks, concurrency, (queue) => addBulk(queue, tasks), async () => {});
    return { tasks, ...report.result };
}

async function submitPaced(queue, tasks, gap) {
    const still = new Int32Array(new SharedArrayBuffer(4));
    let next = now();
    for (let id = 1; id <= tasks; ++id) {
        next += gap;
        // Timers of Node.js round to whole milliseconds; nothing else waits for this thread.
        const rest = next - now();
        if (rest > 0) Atomics.wait(still, 0, 0, rest / 1e6);
        await queue.add('noop', { ...payload(id), at: now() });
    }
}

async function latency({ tasks, concurrency, rate }) {
    const gap = rate === 0 ? 2e6 : 1e9 / rate;
    const all = warmUp + tasks;
    const report = await withWorker(all, concurrency, async () => {}, (queue) => submitPaced(queue, all, gap));
    const sorted = report.delays.slice(warmUp).sort((a, b) => a - b);
    const ms = (perMille) => sorted[Math.min(tasks - 1, Math.floor((tasks * perMille) / 1000))] / 1e6;
    return { tasks, p50_ms: ms(500), p99_ms: ms(990) };
}

const measures = {
    submit_one: ({ tasks }) =>
        submit(overTcp, tasks, async (queue) => {
            for (let id = 1; id <= tasks; ++id) await queue.add('noop', payload(id));
        }),
    submit_concurrent_50: ({ tasks }) => submit(overSocket, tasks, (queue) => submitConcurrently(queue, tasks, 50)),
    submit_bulk_1000: ({ tasks }) => submit(overSocket, tasks, (queue) => addBulk(queue, tasks)),
    drain,
    latency,
};

const [measure, ...words] = process.argv.slice(2);
const settings = { tasks: 10000, concurrency: 10, rate: 0 };
for (const word of words) {
    const [name, value] = word.split('=');
    if (!(name in settings) || !(Number(value) >= 0)) fail(`'${word}' is no setting`);
    settings[name] = Number(value);
}
if (measure === 'work') await work(settings);
else if (measure in measures) console.log(JSON.stringify(await measures[measure](settings)));
else fail(`there is no measure '${measure}', only ${Object.keys(measures).join(', ')}`);
