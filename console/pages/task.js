// One task: why it is where it is, what happened to it, what it carries, and what can be done.
import { html } from '../parts/ui.js';
import { useView } from '../live.js';
import { post } from '../api.js';
import { attempt } from '../parts/notice.js';
import { question } from '../parts/dialog.js';
import { Exact, copy } from '../parts/exact.js';
import { Timeline } from '../parts/timeline.js';
import { Failure, Loading, Table } from '../parts/table.js';
import { State } from '../parts/state.js';
import { Ago, Time, length } from '../parts/text.js';
import { queue as queuePath, task as taskPath, to } from '../parts/paths.js';
import { act, actionsFor, askWhen, mayMove } from '../parts/actions.js';
import { mayChange } from '../parts/session.js';

async function reschedule(task) {
  const at = await askWhen();
  if (at) await attempt(() => post('edit', { id: task.id, at }), 'the task has another due time');
}

async function change(task) {
  const given = await question({
    title: 'Other arguments', yes: 'Change',
    text: 'Of a task that has never started. Numbers stay exactly as they are written.',
    fields: [{ name: 'args', label: 'Arguments: a JSON array', type: 'textarea', value: task.args }],
  });
  if (given && given.args !== task.args) await attempt(() => post('edit', { id: task.id, args: given.args }), 'the task has other arguments');
}

function Buttons({ task }) {
  if (!mayChange()) return null;
  const unstarted = ['waiting', 'delayed', 'ready'].includes(task.state) && task.attempt === 0;
  return html`<div class="bar">
    ${actionsFor(task.state).map((one) => html`<button key=${one.name} class=${one.danger ? 'danger' : one.asks ? '' : 'main'} onClick=${() => act(one, [task.id])}>${one.label}</button>`)}
    ${mayMove(task.state) && html`<button onClick=${() => reschedule(task)}>Reschedule …</button>`}
    ${unstarted && task.args !== null && !task.unreadable && html`<button onClick=${() => change(task)}>Change …</button>`}
  </div>`;
}

const errorColumns = [
  { title: 'attempt', right: true, cell: (row) => row.attempt },
  { title: 'failed', cell: (row) => html`<${Time} at=${row.at}/>` },
  { title: 'after', cell: (row) => (row.started_at ? length(new Date(row.at) - new Date(row.started_at)) : '–') },
  { title: 'worker', cell: (row) => row.worker || html`<span class="faint">not known</span>` },
  { title: 'error', wide: true, cell: (row) => html`<b>${row.type}</b><pre class="plain">${row.message}</pre>` },
];

const stageColumns = [
  { title: 'stage', cell: (row) => html`<b>${row.name}</b>` },
  { title: 'attempt', right: true, cell: (row) => row.attempt },
  { title: 'began', cell: (row) => html`<${Time} at=${row.started_at}/>` },
  { title: 'took', right: true, cell: (row) => length(row.length_ms) },
  { title: 'result', wide: true, cell: (row) => html`<${Exact} text=${row.result} label=${'result of ' + row.name}/>` },
];

const Ids = ({ all }) => html`<span class="ids">${all.slice(0, 20).map((id) => html`<a key=${id} class="id" href=${taskPath(id)}>${id}</a> `)}
  ${all.length > 20 ? 'and ' + (all.length - 20) + ' more' : ''}</span>`;

function Facts({ task }) {
  const fact = (name, value) => value && html`<dt>${name}</dt><dd>${value}</dd>`;
  const at = (name, value) => value && fact(name, html`<${Time} at=${value}/> <span class="faint">(<${Ago} at=${value}/>)</span>`);
  return html`<dl class="facts">
    ${fact('Id', html`<span class="id">${task.id}</span> <button class="small" onClick=${() => copy(task.id)}>Copy</button>`)}
    ${fact('biz_id', task.biz_id)}
    ${fact('Queue', html`<a href=${queuePath(task.queue)}>${task.queue}</a>`)}
    ${fact('Attempt', task.attempt === 0 ? 'none yet' : task.attempt + (task.errors.length > 0 ? ' of ' + (task.max_retry + 1) : ''))}
    ${fact('Worker', task.worker)}
    ${at('Submitted', task.submitted_at)}${at('Due', task.due_at)}${at('Started', task.started_at)}
    ${at('Ended', task.finished_at)}${at('Kept until', task.kept_until)}
    ${fact('Tags', task.tags.join(', '))}
    ${task.after.length > 0 && fact('After', html`<${Ids} all=${task.after}/>`)}
    ${task.waits_for.length > 0 && fact('Waits for', html`<${Ids} all=${task.waits_for}/>`)}
    ${Object.entries(task.headers).map(([name, value]) => fact('Header ' + name, value))}
  </dl>`;
}

export function Task({ id }) {
  const { data: task, failure } = useView('task', id);
  if (failure) return html`<${Failure} failure=${failure}/>`;
  if (!task) return html`<${Loading}/>`;
  const hidden = task.args_hidden ? html`<p class="faint">Arguments and results are not shown by this service.</p>`
    : task.unreadable && html`<p class="faint">Encrypted with the key ${task.encrypted_with}, which this service does not have.</p>`;
  return html`<div class="head"><h1>${task.handler}</h1><${State} is=${task.state}/></div>
    <p class="why">${task.why}</p>
    ${task.blocked_by.length > 0 && html`<ul class="blocked">${task.blocked_by.map((one) => html`<li key=${one}>${one}</li>`)}</ul>`}
    ${task.state === 'working' && task.progress > 0 && html`<p><progress max="1" value=${task.progress}></progress> ${Math.round(task.progress * 100)} % ${task.progress_text}</p>`}
    <${Buttons} task=${task}/>
    <p class="row"><a href=${to('/tasks/' + encodeURIComponent(task.id) + '/graph')}>What it depends on, and what on it</a>
      ${task.trace_url && html`<a href=${task.trace_url} target="_blank" rel="noopener noreferrer">Trace</a>`}
      ${task.log_url && html`<a href=${task.log_url} target="_blank" rel="noopener noreferrer">Log lines</a>`}</p>
    <div class="two"><section><h2>About</h2><${Facts} task=${task}/></section>
      <section><h2>Timeline</h2><${Timeline} task=${task}/></section></div>
    <section><h2>Arguments</h2>${hidden || html`<${Exact} text=${task.args} label="arguments"/>`}</section>
    ${task.state === 'success' && html`<section><h2>Result</h2>${hidden || html`<${Exact} text=${task.result} label="result"/>`}</section>`}
    ${task.errors.length > 0 && html`<section><h2>Failed attempts</h2><${Table} columns=${errorColumns} rows=${[...task.errors].reverse()} rowKey=${(row) => row.attempt + row.at}/></section>`}
    ${task.stages.length > 0 && html`<section><h2>Stages</h2><${Table} columns=${stageColumns} rows=${task.stages} rowKey=${(row) => row.name}/></section>`}
    ${task.log.length > 0 && html`<section><h2>Log</h2><pre class="log" tabindex="0" aria-label="log">${task.log.join('\n')}</pre></section>`}`;
}
