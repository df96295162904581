// The console's own calls.
import { to } from './parts/paths.js';

/** Why a call was not answered as asked: status 0 when the server is away. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function answered(path, how) {
  let response;
  try {
    response = await fetch(path, { credentials: 'same-origin', ...how });
  } catch {
    throw new Refused(0, 'the server does not answer');
  }
  let document = {};
  try { document = await response.json(); } catch { /* none of ours */ }
  if (response.ok) return document;
  throw new Refused(response.status, document.error ? document.error.message : 'the answer was ' + response.status);
}

export const get = (what, query = {}, how = {}) => answered(to('/ui/api/' + what, query), how);

export const post = (what, body = {}) => answered(to('/ui/api/' + what), {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
});
