// Failures by what they have in common: one row for a cause, however many tasks it has.
import { html, useEffect, useState } from '../parts/ui.js';
import { get } from '../api.js';
import { heard } from '../live.js';
import { Failure, Loading, Table } from '../parts/table.js';
import { Ago, count, plural } from '../parts/text.js';
import { task as taskPath } from '../parts/paths.js';
import { actOnAll, actionsForAll } from '../parts/actions.js';
import { mayChange } from '../parts/session.js';

export function Failures({ filter }) {
  const [now, set] = useState({ data: null });
  useEffect(() => {
    let over = false;
    set({ data: null });
    get('failures', filter).then(
      (data) => { heard(null); if (!over) set({ data }); },
      (failure) => { heard(failure); if (!over) set({ failure }); });
    return () => { over = true; };
  }, [JSON.stringify(filter)]);
  if (now.failure) return html`<${Failure} failure=${now.failure}/>`;
  if (!now.data) return html`<${Loading}/>`;
  const columns = [
    { title: 'tasks', right: true, cell: (row) => html`<b>${count(row.count)}</b>` },
    { title: 'cause', wide: true, cell: (row) => html`<details class="cause"><summary>${row.cause}</summary><pre>${row.sample}</pre></details>` },
    { title: 'handlers', cell: (row) => row.handlers.join(', ') },
    { title: 'first', cell: (row) => html`<${Ago} at=${row.first}/>` },
    { title: 'last', cell: (row) => html`<${Ago} at=${row.last}/>` },
    { title: '', cell: (row) => html`<a class="button small" href=${taskPath(row.sample_id)}>Newest</a>
      ${mayChange() && actionsForAll(filter.state).filter((one) => one.name !== 'cancel').map((one) => html`<button key=${one.name}
        class=${'small' + (one.danger ? ' danger' : '')} onClick=${() => actOnAll(one, { ...filter, cause: row.cause })}>${one.label} …</button>`)}` },
  ];
  return html`<p class="faint">${now.data.complete ? 'All' : 'The newest'} ${plural(now.data.looked_at, 'failure')}, by type and text without ids and numbers.</p>
    <${Table} columns=${columns} rows=${now.data.groups} rowKey=${(row) => row.cause} empty="Nothing has failed so."/>`;
}
