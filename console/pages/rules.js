// Schedules, limits.
import { html } from '../parts/ui.js';
import { useView } from '../live.js';
import { post } from '../api.js';
import { attempt } from '../parts/notice.js';
import { question } from '../parts/dialog.js';
import { Failure, Loading, Table } from '../parts/table.js';
import { State } from '../parts/state.js';
import { Ago, Time, count, length } from '../parts/text.js';
import { task as taskPath } from '../parts/paths.js';
import { mayChange } from '../parts/session.js';

async function change(action, row) {
  if (action === 'cancel' && !await question({ title: 'Cancel this schedule?', text: row.handler + ': ' + row.key, yes: 'Cancel it', danger: true })) return;
  await attempt(() => post('schedule', { action, of: row.id }), (got) => (got.task ? 'a run was made' : got.changed ? 'done' : 'it was so already'));
}

function Buttons({ row }) {
  if (!mayChange()) return null;
  const button = (action, label) => html`<button class="small" onClick=${() => change(action, row)}>${label}</button>`;
  return html`<span class="row">${button('run', 'Run now')}
    ${row.state === 'active' && button('pause', 'Pause')}${row.state === 'paused' && button('resume', 'Resume')}
    ${row.state !== 'cancelled' && row.state !== 'finished' && button('cancel', 'Cancel')}</span>`;
}

const scheduleColumns = [
  { title: 'schedule', wide: true, cell: (row) => html`<b>${row.handler}</b> <span class="id">${row.key}</span>` },
  { title: 'state', cell: (row) => html`<${State} is=${row.state}/>` },
  { title: 'timing', cell: (row) => html`${row.timing}${row.timezone && row.timezone !== 'UTC' && html` <span class="faint">${row.timezone}</span>`}` },
  { title: 'next', cell: (row) => (row.next_at ? html`<${Ago} at=${row.next_at}/>` : row.state === 'active' ? 'after the run' : html`<span class="faint">–</span>`) },
  { title: 'then', cell: (row) => html`<span class="ticks">${row.upcoming.filter((at) => at !== row.next_at).slice(0, 2).map((at) => html`<${Time} key=${at} at=${at}/>`)}</span>` },
  { title: 'last run', cell: (row) => (row.last_run ? html`<a href=${taskPath(row.last_run)}><${Ago} at=${row.last_tick}/></a>` : html`<span class="faint">–</span>`) },
  { title: 'runs', right: true, cell: (row) => count(row.runs) },
  { title: 'skipped', right: true, cell: (row) => count(row.skipped) },
  { title: 'missed', right: true, cell: (row) => count(row.missed) },
  { title: '', cell: (row) => html`<${Buttons} row=${row}/>` },
];

export function Schedules() {
  const { data, failure } = useView('schedules');
  if (failure) return html`<${Failure} failure=${failure}/>`;
  if (!data) return html`<${Loading}/>`;
  return html`<h1>Schedules</h1>
    ${data.more && html`<p class="faint">The first ${count(data.schedules.length)}; there are more.</p>`}
    <${Table} columns=${scheduleColumns} rows=${data.schedules} rowKey=${(row) => row.id} empty="Nothing is scheduled."/>`;
}

function rule(one) {
  if (!one) return 'nothing';
  const parts = [];
  if (one.max_running !== null) parts.push(count(one.max_running) + ' at once');
  if (one.rate) parts.push(count(one.rate.count) + ' in ' + length(one.rate.per_ms));
  return parts.join(', ') || 'nothing';
}

const limitColumns = [
  { title: 'limit', wide: true, cell: (row) => html`<b>${row.name}</b>` },
  { title: 'allows', cell: (row) => html`${rule(row.rule)}${row.set && html` <span class="faint">set by hand; declared: ${rule(row.declared)}</span>`}` },
  { title: 'running', right: true, cell: (row) => count(row.running) },
  { title: 'waiting', right: true, cell: (row) => (row.waiting > 0 ? html`<b>${count(row.waiting)}</b>` : '0') },
  { title: 'opens', cell: (row) => (row.opens_at && new Date(row.opens_at) > Date.now() ? html`<${Ago} at=${row.opens_at}/>` : html`<span class="faint">–</span>`) },
  { title: 'throttled', right: true, cell: (row) => (row.throttled_ms > 0 ? length(row.throttled_ms) : html`<span class="faint">–</span>`) },
];

// A limit may be for each key by itself: of a key is known what its first task is.
const waiterColumns = [
  { title: 'limit', wide: true, cell: (row) => html`<b>${row.limit}</b> ${row.keyed && html`<span class="faint">one key</span>`}` },
  { title: 'waiting', right: true, cell: (row) => count(row.waiting) },
  { title: 'since', cell: (row) => (row.first ? html`<${Ago} at=${row.first.due_at}/>` : html`<span class="faint">–</span>`) },
  { title: 'goes first', wide: true, cell: (row) => (row.first ? html`<a href=${taskPath(row.first.id)}><b>${row.first.handler}</b> <span class="id">${row.first.biz_id || row.first.id}</span></a>`
    : html`<span class="faint">gone meanwhile</span>`) },
];

export function Limits() {
  const { data, failure } = useView('limits');
  if (failure) return html`<${Failure} failure=${failure}/>`;
  if (!data) return html`<${Loading}/>`;
  return html`<h1>Limits</h1>
    <${Table} columns=${limitColumns} rows=${data.limits} rowKey=${(row) => row.name} empty="No worker has declared a limit."/>
    ${data.waiters.length > 0 && html`<section aria-labelledby="waiters"><h2 id="waiters">Who waits</h2>
      <p class="faint">Where most wait: at one key of a limit, or at what it allows of all together; and since when the task has been due that goes first.</p>
      <${Table} columns=${waiterColumns} rows=${data.waiters} rowKey=${(row) => row.limit + (row.first ? row.first.id : row.waiting)}/></section>`}
    ${(data.max_queued !== null || data.max_running !== null) && html`<section><h2>Quota of the namespace</h2><dl class="facts">
      ${data.max_queued !== null && html`<dt>Queued</dt><dd>${count(data.queued)} of ${count(data.max_queued)}</dd>`}
      ${data.max_running !== null && html`<dt>Running at once</dt><dd>at most ${count(data.max_running)}</dd>`}</dl></section>`}`;
}
