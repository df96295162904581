// How tasks ended by day, and by week where there are more days than a chart shows.
import { html } from './ui.js';
import { useView } from '../live.js';
import { Columns } from './chart.js';

const mostDays = 60;
const names = ['successful', 'dead'];
const kinds = ['good', 'bad'];

// The Monday of its week.
function weekOf(day) {
  const at = new Date(day + 'T00:00:00Z');
  at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7));
  return at.toISOString().slice(0, 10);
}

function byWeek(days) {
  const all = new Map();
  for (const one of days) {
    const week = weekOf(one.day);
    const sum = all.get(week) ?? { label: 'week from ' + week, values: [0, 0] };
    sum.values[0] += one.success;
    sum.values[1] += one.dead;
    all.set(week, sum);
  }
  return [...all.values()];
}

/** name: of this queue; none: of all */
export function Days({ name = '' }) {
  const { data } = useView('days', name);
  if (!data || data.days.length === 0) return null;
  const days = data.days.slice(-mostDays).map((one) => ({ label: one.day, values: [one.success, one.dead] }));
  return html`<${Columns} points=${days} names=${names} kinds=${kinds} caption="Days (UTC)"/>
    ${data.days.length > mostDays && html`<${Columns} points=${byWeek(data.days)} names=${names} kinds=${kinds} caption="Weeks (UTC)"/>`}`;
}
