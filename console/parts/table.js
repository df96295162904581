// A table that is a list of cards where the screen is narrow: each cell knows the name of its column.
import { html } from './ui.js';

/** columns: [{title, cell: row => node, right, wide}]; key: row => text */
export function Table({ columns, rows, rowKey, empty, className = '', rowClass }) {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="table"><table class=${className}>
    <thead><tr>${columns.map((one) => html`<th scope="col" class=${one.right ? 'right' : ''}>${one.title}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${rowKey(row)} data-key=${rowKey(row)} class=${rowClass ? rowClass(row) : ''}>
      ${columns.map((one) => html`<td data-title=${one.title}
        class=${(one.right ? 'right ' : '') + (one.wide ? 'wide' : '')}>${one.cell(row)}</td>`)}
    </tr>`)}</tbody>
  </table></div>`;
}

export const Loading = () => html`<p class="empty" aria-busy="true">…</p>`;

export function Failure({ failure }) {
  return html`<div class="card trouble" role="alert"><h2>${failure.status === 404 ? 'Not here' : 'That did not work'}</h2>
    <p>${failure.message}</p></div>`;
}
