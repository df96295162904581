// Whether work gets done, what fails, what needs somebody.
import { html } from '../parts/ui.js';
import { useView } from '../live.js';
import { Failure, Loading } from '../parts/table.js';
import { Columns } from '../parts/chart.js';
import { Days } from '../parts/days.js';
import { sign, states } from '../parts/state.js';
import { count, length, plural, rate, short } from '../parts/text.js';
import { queue as queuePath, to } from '../parts/paths.js';

function verdict(now) {
  const bad = now.needs.filter((one) => one.weight === 'bad').length;
  const n = now.needs_found;
  if (now.workers === 0 && now.tasks.ready > 0) return ['bad', '✕', 'Nothing gets done: no worker is there'];
  if (bad > 0) return ['bad', '!', plural(n, 'thing') + (n === 1 ? ' needs you' : ' need you')];
  if (n > 0) return ['warn', '!', plural(n, 'thing') + ' to look at'];
  if (now.tasks.ready + now.tasks.working === 0) return ['good', '✓', 'All is done: nothing waits'];
  return ['good', '✓', 'Work gets done'];
}

function pace(now) {
  const parts = [rate(now.ended_per_second) + ' end', rate(now.failed_per_second) + ' fail'];
  parts.push(plural(now.workers, 'worker') + ', ' + count(now.busy) + ' of ' + count(now.slots) + ' slots busy');
  if (now.oldest_ms !== null) parts.push('the next task has waited ' + length(now.oldest_ms));
  return parts.join(' · ');
}

const where = {
  paused: (one) => queuePath(one.subject), unserved: (one) => queuePath(one.subject), late: (one) => queuePath(one.subject),
  dead: (one) => to('/tasks', { state: 'dead', queue: one.subject, group: 'error' }),
  lost: () => to('/workers'), blocking: () => to('/workers'), outbox: () => to('/health'), shard: () => to('/health'),
  handler: (one) => to('/tasks', { state: 'delayed', handler: one.subject }),
};

function Needs({ now }) {
  if (now.needs.length === 0) return null;
  return html`<section aria-labelledby="needs"><h2 id="needs">Needs you</h2><ul class="needs">
    ${now.needs.map((one) => html`<li key=${one.kind + one.subject}><a href=${where[one.kind](one)} class=${one.weight}>
      <span class="sign" aria-hidden="true">${one.weight === 'bad' ? '✕' : '!'}</span>
      <b>${one.subject}</b><span>${one.text}</span></a></li>`)}
    ${now.needs_found > now.needs.length && html`<li class="faint">and ${count(now.needs_found - now.needs.length)} more</li>`}
  </ul></section>`;
}

// Of ten seconds each, as minutes; the newest is the one that goes on.
export function minutes(pulse) {
  const all = [];
  const per = 60000 / pulse.each_ms;
  const points = pulse.points;
  for (let end = points.length; end > 0; end -= per) {
    const part = points.slice(Math.max(0, end - per), end).filter(Boolean);
    const ago = Math.round((points.length - end) / per);
    all.unshift(part.length === 0 ? null : {
      label: ago === 0 ? 'this minute' : ago + ' min ago',
      values: [part.reduce((sum, one) => sum + one[0], 0), part.reduce((sum, one) => sum + one[1], 0)],
    });
  }
  while (all.length < 60) all.unshift(null);
  return all.slice(-60);
}

export function Overview() {
  const { data: now, failure } = useView('overview');
  if (failure) return html`<${Failure} failure=${failure}/>`;
  if (!now) return html`<${Loading}/>`;
  const [kind, mark, words] = verdict(now);
  return html`<div class=${'verdict ' + kind}><span class="mark" aria-hidden="true">${mark}</span>
      <div><h1>${words}</h1><p>${pace(now)}</p></div></div>
    <${Needs} now=${now}/>
    <section aria-labelledby="counts"><h2 id="counts">Tasks</h2><ul class="counts">
      ${states.map((one) => html`<li key=${one}><a class=${one + (now.tasks[one] === 0 ? ' none' : '')} href=${to('/tasks', { state: one })}>
        <span class="n" title=${count(now.tasks[one])}>${short(now.tasks[one])}</span><span class="state"><span class="sign" aria-hidden="true">${sign(one)}</span>${one}</span></a></li>`)}
    </ul></section>
    <section aria-labelledby="pace"><h2 id="pace">Pace</h2><div class="charts">
      <${Columns} points=${minutes(now.pulse)} names=${['ended', 'failed attempts']} kinds=${['good', 'warn']}
        caption="Last hour, by minute, since the service has been watched"/>
      <${Days}/></div></section>`;
}
