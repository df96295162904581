// Views as they change: by a stream of events, by asking every five seconds where streams do not come through. A tab that nobody
// sees has no stream, as a browser allows six to a server.
import { get } from './api.js';
import { to } from './parts/paths.js';
import { useEffect, useState } from './parts/ui.js';

const silentFor = 6000;   // a beat comes every two seconds
const askEvery = 5000;
const tryAgain = 1500;

// ---- whether the server and its store answer ----

const hearers = new Set();
let state = { link: 'ok', text: '' };

function tell(link, text = '') {
  if (state.link === link && state.text === text) return;
  state = { link, text };
  for (const one of hearers) one(state);
}

/** {link: "ok" | "away" | "trouble" | "login"} */
export function useLink() {
  const [now, set] = useState(state);
  useEffect(() => {
    hearers.add(set);
    set(state);
    return () => hearers.delete(set);
  }, []);
  return now;
}

/** What a call came to tells of the link as well. */
export function heard(failure) {
  if (!failure) tell('ok');
  else if (failure.status === 0) tell('away', failure.message);
  else if (failure.status === 401) tell('login');
  else if (failure.status === 503) tell('trouble', failure.message);
}

// ---- a view ----

function watch(name, of, show) {
  let source = null;
  let timer = 0;
  let fruitless = 0;   // streams that brought nothing
  let over = false;

  const later = (what, ms) => { clearTimeout(timer); timer = setTimeout(what, ms); };
  const close = () => { if (source) source.close(); source = null; clearTimeout(timer); };

  async function ask() {
    try {
      const data = await get('view/' + name, { of });
      if (over) return false;
      heard(null);
      show({ data });
      return true;
    } catch (failure) {
      if (over) return false;
      heard(failure);
      if (failure.status !== 0 && failure.status !== 503) show({ failure });
      return failure.status === 404;
    }
  }

  async function broken() {
    close();
    if (over || document.hidden) return;
    fruitless += 1;
    const there = await ask();
    if (over || document.hidden) return;
    if (there && fruitless > 2) later(broken, askEvery);
    else later(there ? open : broken, tryAgain);
  }

  function open() {
    close();
    if (over || document.hidden) return;
    source = new EventSource(to('/ui/api/live/' + name, { of }));
    const alive = () => { fruitless = 0; later(broken, silentFor); };
    source.onmessage = (event) => { alive(); heard(null); show({ data: JSON.parse(event.data) }); };
    source.addEventListener('beat', alive);
    source.addEventListener('trouble', (event) => {
      alive();
      const why = JSON.parse(event.data);
      if (why.code === 'unavailable') tell('trouble', why.message);
      else show({ failure: { status: why.code === 'not_found' ? 404 : 500, message: why.message } });
    });
    source.onerror = broken;
    later(broken, silentFor);
  }

  const seen = () => (document.hidden ? close() : open());
  document.addEventListener('visibilitychange', seen);
  open();
  return () => { over = true; close(); document.removeEventListener('visibilitychange', seen); };
}

/** {data, failure}: of the last frame; data is null before the first. */
export function useView(name, of = '') {
  const [now, set] = useState({ data: null });
  useEffect(() => {
    set({ data: null });
    return watch(name, of, set);
  }, [name, of]);
  return now;
}
