// Keys, for who does not want to reach for the mouse.
import { html, useEffect, useRef, useState } from './ui.js';
import { go } from '../router.js';
import { to } from './paths.js';

const places = { o: '/', q: '/queues', t: '/tasks', w: '/workers', f: '/tasks?state=dead&group=error', h: '/health' };
const help = [
  ['/', 'find a task'], ['g then o, q, t, w, f, h', 'overview, queues, tasks, workers, failures by cause, health'],
  ['j, k', 'down, up in a list'], ['x', 'choose the task'], ['Enter', 'open it'], ['?', 'this'], ['Esc', 'away from where one is'],
];

let showHelp = () => {};

function move(by) {
  const rows = [...document.querySelectorAll('main tbody tr')];
  if (rows.length === 0) return;
  const at = rows.findIndex((one) => one.contains(document.activeElement));
  const next = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
  const link = next.querySelector('a');
  if (link) { link.focus(); next.scrollIntoView({ block: 'nearest' }); }
}

function choose() {
  const row = document.activeElement ? document.activeElement.closest('tr') : null;
  const box = row ? row.querySelector('.choose') : null;
  if (box) box.click();
}

const isField = (target) => target instanceof Element && target.closest('input:not([type="checkbox"]), textarea, select, dialog');

export function useKeys() {
  useEffect(() => {
    let goes = false;
    const pressed = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Escape' && document.activeElement && !event.target.closest('dialog')) document.activeElement.blur();
      if (isField(event.target)) return;
      const went = goes;
      goes = false;
      if (went && places[event.key]) { event.preventDefault(); const [path, query] = places[event.key].split('?'); go(to(path, Object.fromEntries(new URLSearchParams(query || '')))); return; }
      if (event.key === 'g') goes = true;
      else if (event.key === '/') { event.preventDefault(); document.getElementById('search').focus(); }
      else if (event.key === '?') showHelp(true);
      else if (event.key === 'j') move(1);
      else if (event.key === 'k') move(-1);
      else if (event.key === 'x') choose();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}

export function Help() {
  const [open, set] = useState(false);
  const element = useRef(null);
  showHelp = set;
  useEffect(() => { if (open && element.current) element.current.showModal(); }, [open]);
  if (!open) return null;
  return html`<dialog ref=${element} aria-labelledby="help-title" onClose=${() => set(false)}><h2 id="help-title">Keys</h2>
    <dl class="facts">${help.map(([key, words]) => html`<dt><kbd>${key}</kbd></dt><dd>${words}</dd>`)}</dl>
    <form method="dialog" class="row end"><button>Close</button></form></dialog>`;
}
