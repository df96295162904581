// Numbers, lengths of time and times as a person reads them.
import { html, useEffect, useState } from './ui.js';

const grouped = new Intl.NumberFormat('en');
export const count = (n) => grouped.format(n);

const shortened = new Intl.NumberFormat('en', { notation: 'compact', minimumFractionDigits: 2, maximumFractionDigits: 2 });
/** What a tile has room for: "1.20M". */
export const short = (n) => (n < 1000000 ? count(n) : shortened.format(n));

export function rate(perSecond) {
  if (!perSecond || perSecond <= 0) return '0';
  if (perSecond < 0.1) return (perSecond * 60).toFixed(1) + ' / min';
  return (perSecond < 10 ? perSecond.toFixed(1) : count(Math.round(perSecond))) + ' / s';
}

/** "850 ms", "12 s", "3 min 20 s", "4 d 3 h". */
export function length(ms) {
  if (ms === null || ms === undefined) return '';
  const all = Math.max(0, ms);
  if (all > 0 && all < 1) return (all * 1000).toFixed(0) + ' µs';
  if (all < 1000) return Math.round(all) + ' ms';
  if (all < 10000) return (all / 1000).toFixed(1) + ' s';
  const units = [[86400000, 'd'], [3600000, 'h'], [60000, 'min'], [1000, 's']];
  const first = units.findIndex(([size]) => all >= size);
  const whole = Math.floor(all / units[first][0]);
  const text = whole + ' ' + units[first][1];
  if (first + 1 >= units.length) return text;
  const rest = Math.floor((all % units[first][0]) / units[first + 1][0]);
  return rest > 0 ? text + ' ' + rest + ' ' + units[first + 1][1] : text;
}

const clock = new Intl.DateTimeFormat(undefined, {
  year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false,
});

// One clock for all that says how long ago something was.
const hearers = new Set();
setInterval(() => { if (!document.hidden) for (const one of hearers) one(Date.now()); }, 1000);
export function useNow() {
  const [now, set] = useState(Date.now());
  useEffect(() => {
    hearers.add(set);
    return () => hearers.delete(set);
  }, []);
  return now;
}

/** Local time; in UTC when pointed at. */
export function Time({ at }) {
  if (!at) return html`<span class="faint">–</span>`;
  return html`<time datetime=${at} title=${at.replace('T', ' ')}>${clock.format(new Date(at))}</time>`;
}

/** "3 min ago", "in 5 s". */
export function Ago({ at }) {
  const now = useNow();
  if (!at) return html`<span class="faint">–</span>`;
  const ms = new Date(at).getTime() - now;
  const far = Math.abs(ms) < 10000 ? Math.floor(Math.abs(ms) / 1000) + ' s' : length(Math.abs(ms));
  return html`<time datetime=${at} title=${at.replace('T', ' ')}>${ms > 0 ? 'in ' + far : far + ' ago'}</time>`;
}

/** How long something has gone on. */
export function Since({ at }) {
  const now = useNow();
  return at ? html`<span>${length(now - new Date(at).getTime())}</span>` : html`<span class="faint">–</span>`;
}

export const plural = (n, word) => count(n) + ' ' + word + (n === 1 ? '' : 's');
