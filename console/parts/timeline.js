// What happened to a task, one span below the other. Idle time is cut, so that what took milliseconds is seen beside days of waiting.
import { html } from './ui.js';
import { Time, length } from './text.js';

/** Spans from what is known: [{kind, label, from, to, by}], in order. Times that contradict each other give no negative ones. */
export function spansOf(task) {
  const at = (text) => (text ? new Date(text).getTime() : null);
  const spans = [];
  const add = (kind, label, from, to, by = '') => {
    if (from === null || to === null) return;
    spans.push({ kind, label, from, to: Math.max(from, to), by });
  };
  let last = at(task.submitted_at);
  for (const one of task.errors) {
    const end = at(one.at);
    const begin = Math.min(at(one.started_at) ?? end, end);
    if (last !== null && begin > last) add('idle', one.attempt <= 1 ? 'waited' : 'until the next attempt', last, begin);
    add('failed', 'attempt ' + one.attempt + ' failed', begin, end, one.worker);
    last = Math.max(last ?? end, end);
  }
  const began = at(task.started_at);
  const ended = at(task.finished_at);
  const lastFailed = task.errors.length > 0 ? at(task.errors[task.errors.length - 1].at) : null;
  const runsOrRan = began !== null && task.attempt > 0 && (lastFailed === null || began > lastFailed || task.state === 'success')
    && ['working', 'success', 'cancelled'].includes(task.state);
  if (runsOrRan) {
    if (last !== null && began > last) add('idle', task.attempt <= 1 ? 'waited' : 'until the next attempt', last, began);
    add(task.state === 'working' ? 'run' : task.state === 'success' ? 'good' : 'idle',
      task.state === 'working' ? 'attempt ' + task.attempt + ' runs' : 'attempt ' + task.attempt, began, ended ?? Date.now(), task.worker);
    last = ended ?? Date.now();
  } else if (!ended && last !== null) {
    const due = at(task.due_at);
    add('idle', due !== null && due > Date.now() ? 'until it is due' : 'waits', last, Math.max(due ?? 0, Date.now()));
  } else if (ended !== null && last !== null && ended > last) {
    add('idle', 'until it ended', last, ended);
  }
  for (const one of task.stages) add('stage', one.name, at(one.started_at), at(one.started_at) + one.length_ms);
  return spans;
}

// Positions from 0 to 100: a span that is idle counts for no more than a fifth of what was done.
function layOut(spans) {
  const main = spans.filter((one) => one.kind !== 'stage');
  const work = main.filter((one) => one.kind !== 'idle').reduce((sum, one) => sum + (one.to - one.from), 0);
  const most = Math.max(work / 5, 1);
  const knots = [];
  let shown = 0;
  for (const one of main) {
    const real = one.to - one.from;
    const cut = one.kind === 'idle' && work > 0 ? Math.min(real, most) : real;
    knots.push({ from: one.from, to: one.to, at: shown, size: cut });
    shown += cut;
  }
  const whole = Math.max(shown, 1);
  const place = (t) => {
    const knot = knots.find((one) => t <= one.to) ?? knots[knots.length - 1];
    if (!knot) return 0;
    const part = knot.to > knot.from ? Math.min(Math.max((t - knot.from) / (knot.to - knot.from), 0), 1) : 0;
    return ((knot.at + part * knot.size) / whole) * 100;
  };
  return spans.map((one) => {
    const mine = knots.find((knot) => knot.from === one.from && knot.to === one.to);
    const left = mine && one.kind !== 'stage' ? (mine.at / whole) * 100 : place(one.from);
    const right = mine && one.kind !== 'stage' ? ((mine.at + mine.size) / whole) * 100 : place(one.to);
    const cut = Boolean(mine) && one.kind === 'idle' && mine.size < one.to - one.from;
    return { ...one, left: Math.min(left, 99), width: Math.max(right - left, 0.8), cut };
  });
}

export function Timeline({ task }) {
  const spans = layOut(spansOf(task));
  if (spans.length === 0) return html`<p class="empty">Nothing has happened yet.</p>`;
  return html`<ol class="timeline">${spans.map((one, i) => html`<li key=${i} class=${one.kind + (one.cut ? ' cut' : '')}>
    <span class="label">${one.label}${one.by && html` <span class="faint">on ${one.by}</span>`}</span>
    <span class="track"><span class="span" style=${{ left: one.left + '%', width: Math.min(one.width, 100 - one.left) + '%' }}></span></span>
    <span class="took"><${Time} at=${new Date(one.from).toISOString()}/> · ${length(one.to - one.from)}${one.cut ? ' (cut)' : ''}</span>
  </li>`)}</ol>`;
}
