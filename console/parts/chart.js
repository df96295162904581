// Columns over time, drawn as SVG; the same numbers are a table for who does not see it.
import { html } from './ui.js';
import { count } from './text.js';

const height = 120;

/** points: [{label, values: [a, b]} or null]; names: ["ended", "failed"]; the first is drawn from the ground, the next upon it. */
export function Columns({ points, names, kinds, caption }) {
  const sums = points.map((one) => (one ? one.values.reduce((a, b) => a + b, 0) : 0));
  const most = Math.max(1, ...sums);
  const width = 720;
  const each = width / Math.max(points.length, 1);
  const bars = [];
  points.forEach((one, i) => {
    if (!one) return;
    let top = height;
    one.values.forEach((value, which) => {
      const size = (value / most) * (height - 6);
      top -= size;
      if (size > 0) {
        bars.push(html`<rect x=${i * each + each * 0.1} y=${top} width=${Math.max(each * 0.8, 0.5)} height=${size}
          class=${kinds[which]}/>`);
      }
    });
    const words = one.label + ': ' + names.map((name, which) => count(one.values[which]) + ' ' + name).join(', ');
    bars.push(html`<rect class="hit" x=${i * each} y="0" width=${each} height=${height}><title>${words}</title></rect>`);
  });
  return html`<figure class="chart">
    <figcaption>${caption}<span class="legend">${names.map((name, i) => html`<span class=${'key ' + kinds[i]}>${name}</span>`)}
      <span>most ${count(most === 1 && !sums.includes(1) ? 0 : most)}</span></span></figcaption>
    <svg viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label=${caption}>
      <line x1="0" x2=${width} y1=${height - 0.5} y2=${height - 0.5} class="ground"/>${bars}</svg>
    <details><summary>As a table</summary><div class="table"><table>
      <thead><tr><th scope="col">when</th>${names.map((name) => html`<th scope="col" class="right">${name}</th>`)}</tr></thead>
      <tbody>${points.filter(Boolean).reverse().slice(0, 60).map((one) => html`<tr><td data-title="when">${one.label}</td>
        ${one.values.map((value, i) => html`<td class="right" data-title=${names[i]}>${count(value)}</td>`)}</tr>`)}</tbody>
    </table></div></details>
  </figure>`;
}

/** A line without axes. */
export function Spark({ values, label }) {
  if (values.length < 2) return null;
  const most = Math.max(1, ...values);
  const points = values.map((one, i) => `${(i / (values.length - 1)) * 100},${22 - (one / most) * 20}`).join(' ');
  return html`<svg class="spark" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label=${label}>
    <polyline points=${points}/></svg>`;
}
