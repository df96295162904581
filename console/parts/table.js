// A table that is a list of cards where the screen is narrow: each cell knows the name of its column. Of many rows it draws some,
// and more when asked: a browser that draws all a thousand anew each second does nothing else.
import { html, useState } from './ui.js';
import { count } from './text.js';

const atOnce = 50;

/** columns: [{title, cell: row => node, right, wide}]; key: row => text; label: of one without links, which is reached by keys as such */
export function Table({ columns, rows, rowKey, empty, className = '', rowClass, label = null }) {
  const [most, set] = useState(atOnce);
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="table" tabindex=${label ? 0 : null} role=${label ? 'region' : null} aria-label=${label}><table class=${className}>
    <thead><tr>${columns.map((one) => html`<th scope="col" class=${one.right ? 'right' : ''}>${one.title}</th>`)}</tr></thead>
    <tbody>${rows.slice(0, most).map((row) => html`<tr key=${rowKey(row)} data-key=${rowKey(row)} class=${rowClass ? rowClass(row) : ''}>
      ${columns.map((one) => html`<td data-title=${one.title}
        class=${(one.right ? 'right ' : '') + (one.wide ? 'wide' : '')}>${one.cell(row)}</td>`)}
    </tr>`)}</tbody>
  </table></div>
  ${rows.length > most && html`<div class="row"><button class="small" onClick=${() => set(most + atOnce)}>
    Show ${count(Math.min(atOnce, rows.length - most))} more of ${count(rows.length)}</button></div>`}`;
}

export const Loading = () => html`<p class="empty" aria-busy="true">…</p>`;

export function Failure({ failure }) {
  return html`<div class="card trouble" role="alert"><h2>${failure.status === 404 ? 'Not here' : 'That did not work'}</h2>
    <p>${failure.message}</p></div>`;
}
