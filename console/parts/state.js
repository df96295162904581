// A state by sign and word, never by colour alone.
import { html } from './ui.js';

const signs = {
  waiting: '⋯', delayed: '◷', ready: '●', working: '▶', retry: '↻', success: '✓', dead: '✕', cancelled: '⊘', expired: '◌',
  active: '▶', paused: '‖', finished: '✓', running: '▶', done: '✓', stopped: '■', failed: '✕', stopping: '■',
};

export const states = ['waiting', 'delayed', 'ready', 'working', 'retry', 'success', 'dead', 'cancelled', 'expired'];

export function State({ is }) {
  return html`<span class=${'state ' + is}><span class="sign" aria-hidden="true">${signs[is] || '·'}</span>${is}</span>`;
}
export const sign = (state) => signs[state] || '·';
