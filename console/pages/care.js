// What is done to many tasks, what was done by hand, and whether the store is as it should be.
import { html } from '../parts/ui.js';
import { useView } from '../live.js';
import { post } from '../api.js';
import { attempt } from '../parts/notice.js';
import { question } from '../parts/dialog.js';
import { Failure, Loading, Table } from '../parts/table.js';
import { State } from '../parts/state.js';
import { Ago, count, length, plural } from '../parts/text.js';
import { mayChange } from '../parts/session.js';

const stop = (run) => attempt(() => post('stop', { id: run.id }), 'it stops after the page that it is at');

const verbs = { run_now: 'run now', remove: 'delete' };

function Progress({ run }) {
  const most = run.most > 0 ? run.most : null;
  return html`${run.state === 'running' && html`<progress max=${most || 1} value=${most ? run.changed : null}></progress> `}
    ${count(run.dry_run ? run.matched : run.changed)} ${run.dry_run ? 'match' : 'done'}
    <span class="faint">of ${count(run.looked_at)} looked at</span>`;
}

const runColumns = [
  { title: 'run', wide: true, cell: (row) => html`<b>${row.dry_run ? 'count for ' : ''}${verbs[row.action] || row.action}</b> ${row.on}` },
  { title: 'state', cell: (row) => html`<${State} is=${row.stopping ? 'stopping' : row.state}/>${row.trouble && html` <span class="error">${row.trouble}</span>`}` },
  { title: 'so far', cell: (row) => html`<${Progress} run=${row}/>` },
  { title: 'pace', right: true, cell: (row) => (row.rate > 0 ? count(row.rate) + ' / s' : 'full') },
  { title: 'began', cell: (row) => html`<${Ago} at=${row.started_at}/>` },
  { title: 'by', cell: (row) => row.who || html`<span class="faint">–</span>` },
  { title: '', cell: (row) => mayChange() && row.state === 'running' && html`<button class="small danger" disabled=${row.stopping} onClick=${() => stop(row)}>Stop</button>` },
];

const actionColumns = [
  { title: 'when', cell: (row) => html`<${Ago} at=${row.at}/>` },
  { title: 'who', cell: (row) => row.who || html`<span class="faint">–</span>` },
  { title: 'what', wide: true, cell: (row) => html`<b>${row.what}</b> ${row.on}` },
  { title: 'came of it', wide: true, cell: (row) => row.came },
  { title: 'request', cell: (row) => html`<span class="id">${row.request}</span>` },
];

export function Runs() {
  const { data, failure } = useView('runs');
  if (failure) return html`<${Failure} failure=${failure}/>`;
  if (!data) return html`<${Loading}/>`;
  return html`<h1>Runs</h1><p class="faint">What is done to many tasks goes on here when the page is closed. Kept while this service runs.</p>
    <${Table} columns=${runColumns} rows=${data.runs} rowKey=${(row) => row.id} empty="Nothing was done to many tasks yet."/>
    <section><h2>What was done by hand</h2>
    <${Table} columns=${actionColumns} rows=${data.actions} rowKey=${(row) => row.request + row.what + row.at} empty="Nothing yet."/></section>`;
}

async function checkup(repair) {
  if (repair && !await question({ title: 'Repair the store?', text: 'What contradicts itself is put right, each in one step. Work goes on meanwhile.', yes: 'Repair' })) return;
  await attempt(() => post('run', { action: repair ? 'repair' : 'check' }), 'begun');
}

const findingColumns = [
  { title: 'kind', cell: (row) => row.kind },
  { title: 'what', wide: true, cell: (row) => html`<span class="id">${row.subject}</span>` },
  { title: 'wrong', wide: true, cell: (row) => row.text },
  { title: '', cell: (row) => (row.repaired ? 'repaired' : '') },
];

function Checkup({ runs }) {
  const last = runs.find((one) => one.action === 'check' || one.action === 'repair');
  return html`<section><h2>Check-up of the store</h2>
    <p class="faint">Looks whether each task is in exactly one state, and whether all that the store keeps agrees with itself.</p>
    ${mayChange() && html`<div class="bar"><button onClick=${() => checkup(false)}>Check</button><button onClick=${() => checkup(true)}>Repair …</button></div>`}
    ${last && html`<p><${State} is=${last.state}/> ${count(last.looked_at)} looked at, ${count(last.matched)} found, ${count(last.changed)} repaired.
      ${last.state === 'done' && last.matched === 0 && 'Everything is in order.'}</p>
      ${last.findings.length > 0 && html`<${Table} columns=${findingColumns} rows=${last.findings} rowKey=${(row) => row.kind + row.subject}/>`}`}
  </section>`;
}

const outboxColumns = [
  { title: 'database', wide: true, cell: (row) => row.database },
  { title: 'waiting', right: true, cell: (row) => count(row.backlog) },
  { title: 'oldest', right: true, cell: (row) => (row.backlog > 0 ? length(row.oldest_ms) : '–') },
  { title: 'delivered', right: true, cell: (row) => count(row.delivered) },
  { title: 'refused', right: true, cell: (row) => html`${count(row.refused)} ${row.last_refusal}` },
  { title: 'trouble', wide: true, cell: (row) => row.trouble },
];

export function Health() {
  const { data, failure } = useView('health');
  const { data: care } = useView('runs');
  if (failure) return html`<${Failure} failure=${failure}/>`;
  if (!data) return html`<${Loading}/>`;
  return html`<h1>Health</h1><dl class="facts">
      <dt>Store</dt><dd>${data.away.length === 0 ? html`<${State} is="done"/> answers` : html`<${State} is="failed"/> shards that do not answer: ${data.away.join(', ')}`}</dd>
      <dt>Namespace</dt><dd>${data.namespace}</dd><dt>Shards</dt><dd>${count(data.shards)}</dd>
      <dt>Version</dt><dd>${data.version}</dd>
      ${data.versions.length > 0 && html`<dt>Workers</dt><dd>${data.versions.map((one) => plural(one.workers, 'worker') + ' of ' + (one.version || 'an unknown version')).join(', ')}</dd>`}
      <dt>Pages watching</dt><dd>${count(data.watchers)}</dd></dl>
    <section aria-labelledby="config"><h2 id="config">How this service is set</h2>
      <dl class="facts">${data.config.map(([about, words]) => html`<dt key=${about}>${about}</dt><dd>${words}</dd>`)}</dl></section>
    ${data.outboxes.length > 0 && html`<section><h2>Outboxes</h2><${Table} columns=${outboxColumns} rows=${data.outboxes} rowKey=${(row) => row.database}/></section>`}
    ${care && html`<${Checkup} runs=${care.runs}/>`}`;
}
