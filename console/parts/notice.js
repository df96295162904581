// A line about what was done, which goes by itself.
import { html, useEffect, useState } from './ui.js';

let show = () => {};

export const say = (text, bad = false) => show({ text, bad });

/** Does it, and says what came of it. */
export async function attempt(what, done) {
  try {
    const got = await what();
    if (done) say(typeof done === 'function' ? done(got) : done);
    return got;
  } catch (failure) {
    say(failure.message, true);
    return null;
  }
}

export function Notice() {
  const [now, set] = useState(null);
  show = set;
  useEffect(() => {
    if (!now) return undefined;
    const timer = setTimeout(() => set(null), now.bad ? 12000 : 5000);
    return () => clearTimeout(timer);
  }, [now]);
  return html`<div class="notice" role="status" aria-live="polite">
    ${now && html`<span class=${now.bad ? 'bad' : ''}>${now.text}</span>`}
  </div>`;
}
