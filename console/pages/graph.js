// Tasks that depend on each other: drawn by how many lie before each, and as text.
import { html, useEffect, useState } from '../parts/ui.js';
import { get } from '../api.js';
import { heard } from '../live.js';
import { Failure, Loading } from '../parts/table.js';
import { State, sign } from '../parts/state.js';
import { count } from '../parts/text.js';
import { task as taskPath } from '../parts/paths.js';

const mostDrawn = 300;
const listedAtOnce = 100;

// The nearest, with what ties them to each other.
function nearest(graph) {
  if (graph.nodes.length <= mostDrawn) return graph;
  const nodes = graph.nodes.slice(0, mostDrawn);
  const there = new Set(nodes.map((one) => one.id));
  return { nodes, edges: graph.edges.filter((one) => there.has(one.from) && there.has(one.to)) };
}

const box = { width: 190, height: 46, across: 46, down: 16 };

/** Columns by the longest way from a task that waits for none; in each, by where its parents are. */
export function layOut(graph) {
  const at = new Map(graph.nodes.map((one, i) => [one.id, i]));
  const edges = graph.edges.map((one) => [at.get(one.from), at.get(one.to)]);
  const depth = graph.nodes.map(() => 0);
  // As often as there may be columns; a cycle that is about to be refused ends it.
  for (let round = 0; round < graph.nodes.length; round += 1) {
    let moved = false;
    for (const [from, to] of edges) {
      if (depth[to] < depth[from] + 1 && depth[from] + 1 < graph.nodes.length) { depth[to] = depth[from] + 1; moved = true; }
    }
    if (!moved) break;
  }
  const columns = [];
  depth.forEach((one, i) => { (columns[one] ??= []).push(i); });
  const row = [];
  for (const column of columns) {
    if (!column) continue;
    const parents = (i) => edges.filter(([, to]) => to === i).map(([from]) => row[from] ?? 0);
    const middle = (i) => { const all = parents(i); return all.length ? all.reduce((a, b) => a + b, 0) / all.length : 0; };
    column.sort((a, b) => middle(a) - middle(b));
    column.forEach((i, n) => { row[i] = n; });
  }
  const most = Math.max(...columns.map((one) => (one ? one.length : 0)), 1);
  const places = graph.nodes.map((one, i) => ({
    x: depth[i] * (box.width + box.across),
    y: (row[i] + (most - columns[depth[i]].length) / 2) * (box.height + box.down),
  }));
  return { places, edges, width: columns.length * (box.width + box.across) - box.across, height: most * (box.height + box.down) - box.down };
}

function Drawing({ graph }) {
  const { places, edges, width, height } = layOut(graph);
  const curve = ([from, to]) => {
    const [a, b] = [places[from], places[to]];
    const [x1, y1, x2, y2] = [a.x + box.width, a.y + box.height / 2, b.x, b.y + box.height / 2];
    return `M${x1} ${y1}C${x1 + box.across} ${y1},${x2 - box.across} ${y2},${x2} ${y2}`;
  };
  return html`<div class="graph" tabindex="0" aria-label="Dependencies, from left to right"><svg width=${width + 4} height=${height + 4} viewBox=${`-2 -2 ${width + 4} ${height + 4}`}>
    ${edges.map((one) => html`<path class="edge" d=${curve(one)}/>`)}
    ${graph.nodes.map((one, i) => html`<a key=${one.id} href=${taskPath(one.id)}><g transform=${`translate(${places[i].x} ${places[i].y})`} class=${'node ' + (one.state || 'unknown') + (i === 0 ? ' this' : '')}>
      <title>${(one.handler || 'not submitted') + ' ' + (one.biz_id || one.id)}</title>
      <rect width=${box.width} height=${box.height} rx="8"/>
      <text x="12" y="19" class="name">${(one.handler || 'not submitted').slice(0, 22)}</text>
      <text x="12" y="36" class="state-text">${sign(one.state)} ${one.state || 'unknown'}${one.biz_id ? ' · ' + one.biz_id.slice(0, 14) : ''}</text></g></a>`)}
  </svg></div>`;
}

function Tree({ graph }) {
  const [most, set] = useState(listedAtOnce);
  const at = new Map(graph.nodes.map((one) => [one.id, one]));
  const parents = new Map();
  for (const edge of graph.edges) parents.set(edge.to, [...(parents.get(edge.to) ?? []), at.get(edge.from)]);
  const left = graph.nodes.length - most;
  return html`<ul class="tree">${graph.nodes.slice(0, most).map((one) => {
    const after = parents.get(one.id) ?? [];
    return html`<li key=${one.id}><a href=${taskPath(one.id)}>${one.handler || 'not submitted'} <span class="id">${one.biz_id ?? one.id}</span></a>
      ${one.state ? html`<${State} is=${one.state}/>` : html`<span class="faint">unknown</span>`}
      ${after.length > 0 && html`<span class="faint">after ${after.map((parent) => parent.biz_id ?? (parent.handler || parent.id)).join(', ')}</span>`}</li>`;
  })}</ul>
  ${left > 0 && html`<button class="small" onClick=${() => set(most + listedAtOnce)}>Show ${count(Math.min(listedAtOnce, left))} more of ${count(graph.nodes.length)}</button>`}`;
}

export function Graph({ id }) {
  const [now, set] = useState({ data: null });
  useEffect(() => {
    let over = false;
    set({ data: null });
    get('view/graph', { of: id }).then(
      (data) => { heard(null); if (!over) set({ data }); },
      (failure) => { heard(failure); if (!over) set({ failure }); });
    return () => { over = true; };
  }, [id]);
  if (now.failure) return html`<${Failure} failure=${now.failure}/>`;
  if (!now.data) return html`<${Loading}/>`;
  return html`<div class="head"><h1>Dependencies</h1><a href=${taskPath(id)}>Back to the task</a></div>
    ${now.data.edges.length === 0 && html`<p class="empty">It depends on no task, and none on it.</p>`}
    ${!now.data.complete && html`<p class="faint">The nearest ${count(now.data.nodes.length)}; there are more.</p>`}
    ${now.data.nodes.length > mostDrawn && html`<p class="faint">The nearest ${count(mostDrawn)} are drawn; below are all.</p>`}
    <${Drawing} graph=${nearest(now.data)}/><section><h2>As text</h2><${Tree} graph=${now.data}/></section>`;
}
