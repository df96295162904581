// JSON as it was written: laid out by its signs, never read as numbers, which a browser would round.
import { html, useState } from './ui.js';
import { say } from './notice.js';

const shownAtFirst = 4000;

/** The same text with line breaks; anything that is no JSON stays as it is. */
export function laidOut(text) {
  if (text.length > 200000) return text;
  let out = '';
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (quoted) {
      out += c;
      if (c === '\\') { i += 1; out += text[i] ?? ''; } else if (c === '"') quoted = false;
    } else if (c === '"') {
      quoted = true;
      out += c;
    } else if (c === '{' || c === '[') {
      const empty = text[i + 1] === '}' || text[i + 1] === ']';
      if (!empty) depth += 1;
      out += empty ? c : c + '\n' + '  '.repeat(depth);
    } else if (c === '}' || c === ']') {
      const empty = text[i - 1] === '{' || text[i - 1] === '[';
      if (!empty) depth -= 1;
      out += (empty ? '' : '\n' + '  '.repeat(Math.max(depth, 0))) + c;
    } else if (c === ',') out += ',\n' + '  '.repeat(depth);
    else if (c === ':') out += ': ';
    else out += c;
  }
  return out;
}

// Also where a page may not use the clipboard, as on plain http.
export function copy(text) {
  const done = () => say('copied');
  const byHand = () => {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'off-screen';
    (document.querySelector('dialog[open]') || document.body).append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
    done();
  };
  if (navigator.clipboard && isSecureContext) navigator.clipboard.writeText(text).then(done, byHand);
  else byHand();
}

export function Exact({ text, label }) {
  const [all, set] = useState(false);
  if (text === null || text === undefined) return html`<span class="faint">not shown here</span>`;
  const whole = laidOut(text);
  const long = whole.length > shownAtFirst;
  return html`<div class="exact">
    <pre tabindex="0" aria-label=${label}>${long && !all ? whole.slice(0, shownAtFirst) + ' …' : whole}</pre>
    <div class="row">
      <button class="small" onClick=${() => copy(text)}>Copy</button>
      ${long && html`<button class="small" onClick=${() => set(!all)}>
        ${all ? 'Show less' : 'Show all ' + whole.length.toLocaleString('en') + ' characters'}</button>`}
    </div>
  </div>`;
}
