// Workers, handlers.
import { html } from '../parts/ui.js';
import { useView } from '../live.js';
import { post } from '../api.js';
import { attempt } from '../parts/notice.js';
import { Failure, Loading, Table } from '../parts/table.js';
import { State } from '../parts/state.js';
import { Since, count, length, plural } from '../parts/text.js';
import { queue as queuePath, task as taskPath, to } from '../parts/paths.js';
import { act, actions } from '../parts/actions.js';
import { mayChange } from '../parts/session.js';

const cancel = actions.find((one) => one.name === 'cancel');

const workerColumns = [
  { title: 'worker', wide: true, cell: (row) => html`<b>${row.name}</b> <span class="faint">${row.host}, process ${row.pid}</span>` },
  { title: 'is', cell: (row) => (row.stopping ? html`<${State} is="stopping"/>`
    : row.blocking.length > 0 ? html`<a class="state dead" href=${taskPath(row.blocking[0])}><span class="sign" aria-hidden="true">!</span>blocked by a handler</a>`
      : html`<${State} is=${row.running_count > 0 ? 'working' : 'ready'}/>`) },
  { title: 'slots busy', right: true, cell: (row) => count(row.running_count) + ' of ' + count(row.concurrency) },
  { title: 'up', right: true, cell: (row) => html`<${Since} at=${row.started_at}/>` },
  { title: 'queues', wide: true, cell: (row) => row.queues.join(', ') },
];

const runningColumns = [
  { title: 'task', wide: true, cell: (row) => html`<a href=${taskPath(row.id)}><b>${row.handler}</b> <span class="id">${row.id}</span></a>` },
  { title: 'queue', cell: (row) => html`<a href=${queuePath(row.queue)}>${row.queue}</a>` },
  { title: 'attempt', right: true, cell: (row) => row.attempt },
  { title: 'for', right: true, cell: (row) => html`<${Since} at=${row.started_at}/>` },
  { title: 'worker', cell: (row) => row.worker },
  { title: '', cell: (row) => mayChange() && html`<button class="small" onClick=${() => act(cancel, [row.id])}>Cancel</button>` },
];

export function Workers() {
  const { data, failure } = useView('workers');
  if (failure) return html`<${Failure} failure=${failure}/>`;
  if (!data) return html`<${Loading}/>`;
  const running = data.workers.flatMap((one) => one.running.map((task) => ({ ...task, worker: one.name })));
  running.sort((a, b) => String(a.started_at).localeCompare(String(b.started_at)));
  return html`<h1>Workers</h1>
    <${Table} columns=${workerColumns} rows=${data.workers} rowKey=${(row) => row.name} empty="No worker is there: nothing is run."/>
    <section><h2>Running, the longest first</h2>
    <${Table} columns=${runningColumns} rows=${running.slice(0, 200)} rowKey=${(row) => row.id} empty="Nothing runs now."/></section>`;
}

// Three percentiles in one cell: a table of nine columns more fits no screen.
const percentiles = ['p50_us', 'p95_us', 'p99_us'];
const micro = (figures) => (figures.count === 0 ? html`<span class="faint">–</span>`
  : html`<span class="percentiles">${percentiles.map((name) => html`<span key=${name}>${length(figures[name] / 1000)}</span>`)}</span>`);

const handlerColumns = [
  { title: 'handler', wide: true, cell: (row) => html`<b>${row.handler}</b> ${row.paused && html`<${State} is="paused"/>`}
    <span class="faint">${plural(row.workers, 'worker')}</span>` },
  { title: 'runs', right: true, cell: (row) => count(row.runs) },
  { title: 'failed', right: true, cell: (row) => html`<a href=${to('/tasks', { state: 'retry', handler: row.handler, group: 'error' })}>${count(row.failures)}</a>` },
  { title: 'dead', right: true, cell: (row) => html`<a href=${to('/tasks', { state: 'dead', handler: row.handler, group: 'error' })}>${count(row.dead)}</a>` },
  { title: 'wait 50 / 95 / 99 %', right: true, cell: (row) => micro(row.wait) },
  { title: 'run 50 / 95 / 99 %', right: true, cell: (row) => micro(row.run) },
  { title: 'total 50 / 95 / 99 %', right: true, cell: (row) => micro(row.total) },
  { title: '', cell: (row) => mayChange() && html`<button class="small" onClick=${() => attempt(
    () => post('handler', { action: row.paused ? 'resume' : 'pause', of: row.handler }),
    row.handler + (row.paused ? ' goes on' : ' is paused: none of its tasks is started'))}>${row.paused ? 'Resume' : 'Pause'}</button>` },
];

const nothing = { count: 0 };

export function Handlers() {
  const { data, failure } = useView('handlers');
  if (failure) return html`<${Failure} failure=${failure}/>`;
  if (!data) return html`<${Loading}/>`;
  const known = new Map(data.known.map((one) => [one.handler, one]));
  const rows = data.handlers.map((one) => ({ workers: 0, paused: false, ...known.get(one.handler), ...one }));
  for (const one of data.known) {
    if (!data.handlers.some((had) => had.handler === one.handler)) rows.push({ ...one, runs: 0, failures: 0, dead: 0, wait: nothing, run: nothing, total: nothing });
  }
  rows.sort((a, b) => b.runs - a.runs || a.handler.localeCompare(b.handler));
  return html`<h1>Handlers</h1>
    <p class="faint">What became of their attempts in the last ${length(data.over_ms)}, as workers have said up to a minute ago.
      Half of them took no longer than the first of three times, 95 of 100 than the second, 99 of 100 than the third.
      Wait: from when a task was due to its first start. Run: an attempt. Total: from submission to end, of tasks that succeeded or died.</p>
    <${Table} columns=${handlerColumns} rows=${rows} rowKey=${(row) => row.handler} empty="No worker is there, and nothing was run."/>`;
}
