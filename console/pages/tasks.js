// Tasks in one state, by page; which ones stands in the address. The list does not move under the pointer: that there is something
// new is said above it.
import { html, useEffect, useRef, useState } from '../parts/ui.js';
import { get } from '../api.js';
import { heard, useView } from '../live.js';
import { go, sameWith } from '../router.js';
import { Failure, Loading, Table } from '../parts/table.js';
import { State, states } from '../parts/state.js';
import { Ago, Since, count } from '../parts/text.js';
import { queue as queuePath, task as taskPath } from '../parts/paths.js';
import { act, actOnAll, actionsFor, actionsForAll, mayMove, reschedule } from '../parts/actions.js';
import { mayChange } from '../parts/session.js';
import { Failures } from './failures.js';

const words = ['queue', 'handler', 'tag', 'error', 'biz_id'];

export const filterOf = (query) => {
  const filter = { state: states.includes(query.state) ? query.state : 'ready' };
  for (const one of words) if (query[one]) filter[one] = query[one];
  return filter;
};

const isSearch = (filter) => words.some((one) => one !== 'queue' && filter[one]);

function when(row) {
  switch (row.state) {
    case 'delayed': case 'retry': return html`due <${Ago} at=${row.due_at}/>`;
    case 'working': return html`for <${Since} at=${row.started_at}/>`;
    case 'waiting': case 'ready': return html`since <${Since} at=${row.submitted_at}/>`;
    default: return html`<${Ago} at=${row.finished_at || row.submitted_at}/>`;
  }
}

function Filters({ query }) {
  const submit = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    go(sameWith({ ...given, state: query.state, group: query.group }));
  };
  const filter = filterOf(query);
  return html`<nav class="states" aria-label="States">${states.map((one) => html`<a key=${one} href=${sameWith({ ...query, state: one, after: '', group: '' })}
      aria-current=${one === filter.state ? 'page' : null}><${State} is=${one}/></a>`)}</nav>
    <form class="filters" onSubmit=${submit} key=${JSON.stringify(filter)}>
      ${words.map((one) => html`<label><span>${one}</span><input name=${one} value=${query[one] || ''} autocomplete="off" spellcheck="false"/></label>`)}
      <button type="submit">Filter</button>
      ${isSearch(filter) || filter.queue ? html`<a class="button" href=${sameWith({ state: query.state, group: query.group })}>Clear</a>` : null}
    </form>`;
}

// Whether there are more or fewer of them than when the list was read.
function useNews(state, read) {
  const { data } = useView('overview');
  const then = useRef(null);
  const n = data ? data.tasks[state] : null;
  useEffect(() => { then.current = null; }, [read, state]);
  if (n === null) return 0;
  if (then.current === null) then.current = n;
  return n - then.current;
}

// A rare filter is searched page after page until a screenful is found, or somebody stops it.
function useList(query, read) {
  const [now, set] = useState({ rows: null });
  const stop = useRef(() => {});
  useEffect(() => {
    let over = false;
    const control = new AbortController();
    stop.current = () => { over = true; set((was) => ({ ...was, searching: false })); };
    (async () => {
      let rows = [];
      let after = query.after || '';
      let looked = 0;
      set((was) => ({ rows: read > 0 ? was.rows : null, searching: true }));
      try {
        do {
          const page = await get('tasks', { ...filterOf(query), after, limit: 50, order: query.order || '' }, { signal: control.signal });
          if (over) return;
          heard(null);
          rows = rows.concat(page.tasks);
          looked += page.looked_at;
          after = page.next;
          set({ rows, next: after, looked, searching: Boolean(after) && rows.length < 50 });
        } while (after && rows.length < 50);
      } catch (failure) {
        if (over) return;
        heard(failure);
        set({ rows: null, failure });
      }
    })();
    return () => { over = true; control.abort(); };
  }, [JSON.stringify(query), read]);
  return [now, () => stop.current()];
}

function Bar({ filter, chosen, clear, again }) {
  if (!mayChange()) return null;
  const fitting = actionsFor(filter.state);
  const over = (got) => { if (got) { clear(); again(); } };
  const some = async (one) => over(await act(one, [...chosen]));
  return html`<div class="bar">
    ${chosen.size > 0 && html`<span>${count(chosen.size)} chosen</span>
      ${fitting.map((one) => html`<button key=${one.name} class=${'small' + (one.danger ? ' danger' : '')} onClick=${() => some(one)}>${one.label}</button>`)}
      ${mayMove(filter.state) && html`<button class="small" onClick=${async () => over(await reschedule([...chosen]))}>Reschedule …</button>`}
      <button class="small quiet" onClick=${clear}>None</button>`}
    ${chosen.size === 0 && html`<span class="faint">All that match:</span>
      ${actionsForAll(filter.state).map((one) => html`<button key=${one.name} class="small" onClick=${() => actOnAll(one, filter)}>${one.label} all …</button>`)}`}
  </div>`;
}

export function Tasks({ query }) {
  const [read, setRead] = useState(0);
  const [chosen, setChosen] = useState(new Set());
  const filter = filterOf(query);
  const grouped = query.group === 'error';
  useEffect(() => { setChosen(new Set()); }, [JSON.stringify(query)]);
  return html`<h1>Tasks</h1><${Filters} query=${query}/>
    ${(filter.state === 'dead' || filter.state === 'retry') && html`<p class="tabs">
      <a href=${sameWith({ ...query, group: '', after: '' })} aria-current=${grouped ? null : 'page'}>One by one</a>
      <a href=${sameWith({ ...query, group: 'error', after: '' })} aria-current=${grouped ? 'page' : null}>By cause</a></p>`}
    ${grouped ? html`<${Failures} filter=${filter}/>`
      : html`<${List} query=${query} filter=${filter} read=${read} again=${() => setRead(read + 1)} chosen=${chosen} choose=${setChosen}/>`}`;
}

function List({ query, filter, read, again, chosen, choose }) {
  const [list, stop] = useList(query, read);
  const news = useNews(filter.state, read);
  const toggle = (id) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  if (list.failure) return html`<${Failure} failure=${list.failure}/>`;
  if (!list.rows) return html`<${Loading}/>`;
  const columns = [
    mayChange() && { title: '', cell: (row) => html`<input type="checkbox" class="choose" aria-label=${'choose ' + row.id} checked=${chosen.has(row.id)} onChange=${() => toggle(row.id)}/>` },
    { title: 'task', wide: true, cell: (row) => html`<a class="open" href=${taskPath(row.id)}><b>${row.handler}</b> <span class="id">${row.biz_id ?? row.id}</span></a>` },
    { title: 'queue', cell: (row) => html`<a href=${queuePath(row.queue)}>${row.queue}</a>` },
    { title: 'attempt', right: true, cell: (row) => (row.attempt === 0 ? html`<span class="faint">–</span>` : count(row.attempt)) },
    { title: 'when', cell: when },
    filter.state === 'working' && { title: 'worker', cell: (row) => row.worker || '' },
    filter.state === 'working' && { title: 'progress', cell: (row) => (row.progress > 0 ? Math.round(row.progress * 100) + ' % ' : '') + row.progress_text },
    ['retry', 'dead', 'cancelled'].includes(filter.state) && { title: 'last error', wide: true, cell: (row) => row.error_type && html`<span class="error">${row.error || row.error_type}</span>` },
  ].filter(Boolean);
  return html`<div class="news" aria-live="polite">${news !== 0 && html`<button class="small" onClick=${again}>
      ${news > 0 ? count(news) + ' new' : count(-news) + ' fewer'}: show</button>`}</div>
    <${Bar} filter=${filter} chosen=${chosen} clear=${() => choose(new Set())} again=${again}/>
    <${Table} columns=${columns} rows=${list.rows} rowKey=${(row) => row.id} className="tasks" rowClass=${(row) => (chosen.has(row.id) ? 'chosen' : '')}
      empty=${list.searching ? '…' : 'No ' + filter.state + ' task' + (isSearch(filter) || filter.queue ? ' matches.' : '.')}/>
    <div class="row">
      ${list.searching && html`<span class="faint">looked at ${count(list.looked || 0)} …</span><button class="small" onClick=${stop}>Stop</button>`}
      ${!list.searching && isSearch(filter) && html`<span class="faint">looked at ${count(list.looked || 0)}</span>`}
      ${query.after && html`<a class="button" href=${sameWith({ ...query, after: '' })}>First page</a>`}
      ${!list.searching && list.next && html`<a class="button" rel="next" href=${sameWith({ ...query, after: list.next })}>Next page</a>`}
    </div>`;
}
