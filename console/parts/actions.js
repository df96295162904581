// What is done to tasks, by the states it is for.
import { post } from '../api.js';
import { attempt, say } from './notice.js';
import { question } from './dialog.js';
import { count, plural } from './text.js';
import { task as taskPath, to } from './paths.js';
import { go } from '../router.js';

export const actions = [
  { name: 'run_now', label: 'Run now', past: 'made ready', for: ['delayed', 'retry'] },
  { name: 'revive', label: 'Revive', past: 'revived', for: ['dead', 'cancelled', 'expired'] },
  { name: 'cancel', label: 'Cancel', past: 'cancelled', for: ['waiting', 'delayed', 'ready', 'working', 'retry'], asks: true },
  { name: 'remove', label: 'Delete', past: 'deleted', for: ['waiting', 'delayed', 'ready', 'retry', 'success', 'dead', 'cancelled', 'expired'],
    asks: true, danger: true },
];

export const actionsFor = (state) => actions.filter((one) => one.for.includes(state));

export const mayMove = (state) => ['waiting', 'delayed', 'ready', 'retry'].includes(state);
const move = { name: 'reschedule', label: 'Reschedule', moves: true };

/** Of all that match, another due time is one more. */
export const actionsForAll = (state) => (mayMove(state) ? [...actionsFor(state), move] : actionsFor(state));

/** One or some, by their ids. */
export async function act(action, ids) {
  if (action.asks) {
    const agreed = await question({
      title: action.label + (ids.length === 1 ? ' this task?' : ' ' + plural(ids.length, 'task') + '?'),
      text: action.danger ? 'It is deleted with all that belongs to it, and cannot be brought back.' : ids.length === 1 ? ids[0] : '',
      yes: action.label, danger: action.danger,
    });
    if (!agreed) return null;
  }
  return attempt(() => post('act', { action: action.name, ids }), (got) => {
    if (ids.length === 1 && got.changed === 0) return 'nothing was done: it is ' + (got.results[0].state || 'not there any more') + ' by now';
    return ids.length === 1 ? 'the task is ' + action.past : `${action.past} ${count(got.changed)} of ${plural(ids.length, 'task')}`;
  });
}

const whenField = { name: 'minutes', label: 'In so many minutes', type: 'number', value: '0', hint: '0: at once' };
const inMinutes = (minutes) => new Date(Date.now() + Number(minutes || 0) * 60000).toISOString();

/** When: as an instant; null: he has thought better of it. */
export async function askWhen() {
  const given = await question({ title: 'Another due time', yes: 'Reschedule', fields: [whenField] });
  return given ? inMinutes(given.minutes) : null;
}

/** Another due time of some, by their ids. */
export async function reschedule(ids) {
  const at = await askWhen();
  return at && attempt(() => post('act', { action: 'reschedule', ids, at }), (got) => `${count(got.changed)} of ${plural(ids.length, 'task')} have another due time`);
}

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

// Counted by the server before anything is asked; whoever does not want to wait leaves the count with Stop on /runs.
async function counted(order) {
  let run = await post('run', { ...order, dry_run: true });
  for (let tries = 0; run.state === 'running' && tries < 20; tries += 1) {
    await wait(250);
    const all = await (await fetch(to('/ui/api/view/runs'))).json();
    run = all.runs.find((one) => one.id === run.id) || run;
  }
  if (run.state === 'running') await post('stop', { id: run.id });
  return run;
}

/** All that match, as a run on the server. filter: {state, queue, handler, tag, error, biz_id, cause} */
export async function actOnAll(action, filter) {
  const order = { action: action.name, ...filter };
  say('counting …');
  const run = await attempt(() => counted(order));
  if (!run) return;
  const least = run.state !== 'done';
  const n = run.matched;
  say((least ? 'at least ' : '') + plural(n, 'task') + (n === 1 ? ' matches' : ' match'));
  if (n === 0 && !least) return;
  const typed = (action.danger || n > 1000 || least) ? String(n) : null;
  const agreed = await question({
    title: `${action.label} ${least ? 'at least ' : ''}${plural(n, 'task')}?`,
    text: 'All that are ' + run.on.replace(/ tasks$/, '') + '. The server does it, page by page; it can be stopped at any time.',
    fields: [
      ...(action.moves ? [whenField] : []),
      { name: 'most', label: 'So many at most', type: 'number', hint: 'empty: all; 10 to try it first' },
      { name: 'rate', label: 'So many a second', type: 'number', hint: 'empty: as fast as it goes' },
    ],
    typed, yes: action.label, danger: action.danger,
  });
  if (!agreed) return;
  const begun = await attempt(() => post('run', {
    ...order, ...(action.moves ? { at: inMinutes(agreed.minutes) } : {}), most: Number(agreed.most || 0), rate: Number(agreed.rate || 0),
  }), 'begun');
  if (begun) go(to('/runs'));
}

export const openTask = (id) => go(taskPath(id));
