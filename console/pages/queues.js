// Queues: how full, how late, who serves them; one in full.
import { html } from '../parts/ui.js';
import { useView } from '../live.js';
import { post } from '../api.js';
import { attempt } from '../parts/notice.js';
import { Failure, Loading, Table } from '../parts/table.js';
import { Spark } from '../parts/chart.js';
import { Days } from '../parts/days.js';
import { State, states } from '../parts/state.js';
import { Ago, count, length, plural, rate, short } from '../parts/text.js';
import { queue as queuePath, to } from '../parts/paths.js';
import { mayChange } from '../parts/session.js';

const pause = (name, paused) => attempt(
  () => post('queue', { action: paused ? 'resume' : 'pause', of: name }),
  paused ? 'queue ' + name + ' goes on' : 'queue ' + name + ' is paused: what runs goes on, nothing new starts');

function Switch({ queue }) {
  if (!mayChange()) return null;
  return html`<button class="small" onClick=${() => pause(queue.name, queue.paused)}>${queue.paused ? 'Resume' : 'Pause'}</button>`;
}

function Condition({ queue }) {
  if (queue.paused) return html`<${State} is="paused"/>`;
  if (queue.tasks.ready > 0 && queue.workers === 0) return html`<span class="state dead"><span class="sign" aria-hidden="true">✕</span>no worker</span>`;
  return html`<span class="faint">${plural(queue.workers, 'worker')}</span>`;
}

const number = (state) => ({
  title: state, right: true,
  cell: (row) => html`<a class=${row.tasks[state] === 0 ? 'faint' : ''} href=${to('/tasks', { state, queue: row.name })}>${count(row.tasks[state])}</a>`,
});

const columns = [
  { title: 'queue', wide: true, cell: (row) => html`<a href=${queuePath(row.name)}><b>${row.name}</b></a>` },
  { title: 'is', cell: (row) => html`<${Condition} queue=${row}/>` },
  { title: 'ready lately', cell: (row) => (row.recent.length > 1 ? html`<${Spark} values=${row.recent} label=${'ready in ' + row.name + ', ' + plural(row.recent.length, 'minute')}/>` : html`<span class="faint">–</span>`) },
  number('ready'), number('working'), number('retry'), number('delayed'), number('waiting'), number('dead'),
  { title: 'next waited', right: true, cell: (row) => length(row.oldest_ms) || html`<span class="faint">–</span>` },
  { title: 'ended', right: true, cell: (row) => rate(row.finished_per_second) },
  { title: 'failed', right: true, cell: (row) => rate(row.failed_per_second) },
  { title: '', cell: (row) => html`<${Switch} queue=${row}/>` },
];

export function Queues() {
  const { data, failure } = useView('queues');
  if (failure) return html`<${Failure} failure=${failure}/>`;
  if (!data) return html`<${Loading}/>`;
  return html`<h1>Queues</h1>
    ${data.all > data.queues.length && html`<p class="faint">The ${count(data.queues.length)} fullest of ${count(data.all)}.</p>`}
    <${Table} columns=${columns} rows=${data.queues} rowKey=${(row) => row.name}
      rowClass=${(row) => (row.paused ? 'is-paused' : '')} empty="No queue has had a task yet."/>`;
}

export function Queue({ name }) {
  const { data: now, failure } = useView('queue', name);
  if (failure) return html`<${Failure} failure=${failure}/>`;
  if (!now) return html`<${Loading}/>`;
  return html`<div class="head"><h1>${now.name}</h1><${Condition} queue=${now}/><${Switch} queue=${now}/></div>
    ${now.paused && html`<p>Paused <${Ago} at=${now.paused_since}/>: what runs goes on, nothing new starts.</p>`}
    <ul class="counts">${states.map((one) => html`<li key=${one}><a class=${one + (now.tasks[one] === 0 ? ' none' : '')}
      href=${to('/tasks', { state: one, queue: name })}><span class="n" title=${count(now.tasks[one])}>${short(now.tasks[one])}</span><${State} is=${one}/></a></li>`)}</ul>
    ${now.recent.length > 1 && html`<p class="row"><${Spark} values=${now.recent} label=${'ready in ' + now.name + ', ' + plural(now.recent.length, 'minute')}/>
      <span class="faint">ready in the last ${plural(now.recent.length, 'minute')}, ${count(Math.max(...now.recent))} at most</span></p>`}
    <dl class="facts">
      <dt>Next task has waited</dt><dd>${length(now.oldest_ms) || '–'}</dd>
      <dt>Ended</dt><dd>${rate(now.finished_per_second)}, ${count(now.finished)} in all</dd>
      <dt>Failed attempts</dt><dd>${rate(now.failed_per_second)}, ${count(now.failed)} in all</dd>
      <dt>Served by</dt><dd>${now.served_by.length === 0 ? 'no worker' : now.served_by.slice(0, 20).join(', ')}</dd>
    </dl><${Days} name=${name}/>`;
}
