// Namespaces beside each other: what there is in each, and what it may use.
import { html } from '../parts/ui.js';
import { useView } from '../live.js';
import { Failure, Loading, Table } from '../parts/table.js';
import { State } from '../parts/state.js';
import { count, length } from '../parts/text.js';

const none = () => html`<span class="faint">–</span>`;
const of = (used, most) => (most === null ? count(used) : count(used) + ' of ' + count(most));

// Of one that does not answer there is nothing else.
const unless = (cell) => (row) => (row.trouble === null ? cell(row) : none());

const columns = [
  { title: 'namespace', wide: true, cell: (row) => html`<b>${row.name}</b> <span class="faint">weight ${count(row.weight)}</span>
    ${row.trouble !== null && html`<p class="error"><${State} is="failed"/> ${row.trouble}</p>`}` },
  { title: 'queued', right: true, cell: unless((row) => of(row.queued, row.quota.max_queued)) },
  { title: 'ready', right: true, cell: unless((row) => count(row.ready)) },
  { title: 'working', right: true, cell: unless((row) => of(row.working, row.quota.max_running)) },
  { title: 'next waited', right: true, cell: unless((row) => (row.oldest_ms === null ? none() : length(row.oldest_ms))) },
  { title: 'may submit', right: true, cell: unless((row) => (row.quota.submit_rate === null ? none() : count(row.quota.submit_rate.count) + ' in ' + length(row.quota.submit_rate.per_ms))) },
  { title: 'workers', right: true, cell: unless((row) => count(row.workers)) },
  { title: 'runs, failed, dead', right: true, cell: unless((row) => html`${count(row.runs)}, ${count(row.failures)}, <b>${count(row.dead)}</b>`) },
];

export function Tenants() {
  const { data, failure } = useView('tenants');
  if (failure) return html`<${Failure} failure=${failure}/>`;
  if (!data) return html`<${Loading}/>`;
  return html`<h1>Tenants</h1>
    <p class="faint">The namespaces that this service was told of. Where there is a quota, what it allows stands behind “of”. Runs, failed and dead are of the last hour; all is looked at once in ten seconds.</p>
    <${Table} columns=${columns} rows=${data.tenants} rowKey=${(row) => row.name} label="Tenants" empty="There is none."/>
    ${data.all > data.tenants.length && html`<p class="faint">The first ${count(data.tenants.length)} of ${count(data.all)}.</p>`}`;
}
