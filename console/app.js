// The console: what stands around every page, and which page an address shows.
import { Refused, get, post } from './api.js';
import { heard, useLink } from './live.js';
import { go, useAddress } from './router.js';
import { html, render, useEffect, useState } from './parts/ui.js';
import { Question } from './parts/dialog.js';
import { Notice, say } from './parts/notice.js';
import { Failure } from './parts/table.js';
import { session, use } from './parts/session.js';
import { task as taskPath, to } from './parts/paths.js';
import { Help, useKeys } from './parts/keys.js';
import { Overview } from './pages/overview.js';
import { Queue, Queues } from './pages/queues.js';
import { Tasks } from './pages/tasks.js';
import { Task } from './pages/task.js';
import { Graph } from './pages/graph.js';
import { Handlers, Workers } from './pages/places.js';
import { Limits, Schedules } from './pages/rules.js';
import { Health, Runs } from './pages/care.js';
import { Tenants } from './pages/tenants.js';

const places = [
  ['', 'Overview'], ['queues', 'Queues'], ['tasks', 'Tasks'], ['workers', 'Workers'], ['handlers', 'Handlers'],
  ['schedules', 'Schedules'], ['limits', 'Limits'], ['runs', 'Runs'], ['health', 'Health'],
  ['tenants', 'Tenants'],
];
// Where there is one namespace, it is what all other pages show.
const placesHere = () => places.filter(([place]) => place !== 'tenants' || session().name_spaces > 1);

function page({ parts, query }) {
  const [first = '', second, third] = parts;
  switch (first) {
    case '': return html`<${Overview}/>`;
    case 'queues': return second ? html`<${Queue} name=${second} key=${second}/>` : html`<${Queues}/>`;
    case 'tasks':
      if (third === 'graph') return html`<${Graph} id=${second} key=${second}/>`;
      return second ? html`<${Task} id=${second} key=${second}/>` : html`<${Tasks} query=${query}/>`;
    case 'workers': return html`<${Workers}/>`;
    case 'handlers': return html`<${Handlers}/>`;
    case 'schedules': return html`<${Schedules}/>`;
    case 'limits': return html`<${Limits}/>`;
    case 'runs': return html`<${Runs}/>`;
    case 'health': return html`<${Health}/>`;
    case 'tenants': return html`<${Tenants}/>`;
    default: return html`<${Failure} failure=${{ status: 404, message: 'The console has no such page.' }}/>`;
  }
}

// An id or handler:biz_id opens the task; else words like queue:mail error:timeout are a filter.
async function search(text) {
  const words = text.trim();
  if (words === '') return;
  const found = await get('find', { text: words }).catch(() => ({ id: null }));
  if (found.id) { go(taskPath(found.id)); return; }
  const query = {};
  for (const [, name, quoted, plain] of words.matchAll(/(\w+):(?:"([^"]*)"|(\S+))/g)) query[name] = quoted ?? plain;
  if (['state', 'queue', 'handler', 'tag', 'error', 'biz_id'].some((one) => query[one])) go(to('/tasks', query));
  else say('no task has this id; write handler:biz_id, or words like state:dead queue:mail error:timeout', true);
}

function Search() {
  const submit = (event) => {
    event.preventDefault();
    search(event.target.elements.text.value);
  };
  return html`<form class="search" role="search" onSubmit=${submit}>
    <input id="search" name="text" type="search" placeholder="Find a task" title="an id, handler:biz_id, or words like state:dead queue:mail" aria-label="Find tasks" autocomplete="off" spellcheck="false"/></form>`;
}

const themes = ['system', 'light', 'dark'];

function Theme() {
  const [now, set] = useState(document.documentElement.dataset.theme || 'system');
  const change = (event) => {
    const chosen = event.target.value;
    if (chosen === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    try { localStorage.setItem('errand-theme', chosen); } catch { /* for this page then */ }
    set(chosen);
  };
  return html`<label class="theme"><span>Colours</span><select value=${now} onChange=${change}>
    ${themes.map((one) => html`<option key=${one} value=${one} selected=${one === now}>${one}</option>`)}</select></label>`;
}

function Banner({ link }) {
  if (link.link !== 'away' && link.link !== 'trouble') return null;
  const words = link.link === 'away' ? 'The server does not answer. What you see is from before.' : 'The store does not answer: ' + link.text + '. What you see is from before.';
  return html`<div class="banner" role="alert">${words} <span>Trying again …</span></div>`;
}

function Login({ done }) {
  const [why, set] = useState('');
  const submit = async (event) => {
    event.preventDefault();
    try {
      await post('login', { token: event.target.elements.token.value.trim() });
      set('');
      done();
    } catch (failure) {
      set(failure.message);
    }
  };
  return html`<main class="login"><form onSubmit=${submit}><h1>errand</h1>
    <label class="field"><span>Token</span><input name="token" type="password" autocomplete="current-password" autofocus required/></label>
    <button class="main" type="submit">Log in</button>
    <p role="alert" class="error">${why}</p>
    <p class="faint">One that <code>errand token</code> has made: with the scope view it looks, with submit it acts as well.</p></form></main>`;
}

async function logOut() {
  await post('logout').catch(() => {});
  location.reload();
}

function Frame({ link }) {
  const address = useAddress();
  useKeys();
  const here = address.parts[0] || '';
  const name = (places.find(([place]) => place === here) || ['', 'errand'])[1];
  useEffect(() => {
    document.title = [...address.parts.slice(1, 2), name, session().namespace].join(' · ');
  }, [location.pathname]);
  const who = session();
  return html`<a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById('main').focus(); }}>To the page</a>
    <header><a class="brand" href=${to('/')}>errand <span>${who.namespace}</span></a><${Search}/>
      <nav aria-label="Pages">${placesHere().map(([place, label]) => html`<a key=${place} href=${to('/' + place)} aria-current=${place === here ? 'page' : null}>${label}</a>`)}</nav>
      <div class="foot"><${Theme}/>${who.user && html`<span class="faint">${who.user}${who.may_change ? '' : ', looks only'}</span>`}
        ${who.needs_token && html`<button class="small quiet" onClick=${logOut}>Log out</button>`}</div></header>
    <main id="main" tabindex="-1" class=${link.link === 'ok' ? '' : 'stale'}><${Banner} link=${link}/>${page(address)}</main>
    <${Notice}/><${Question}/><${Help}/>`;
}

function App() {
  const [state, set] = useState('asking');
  const link = useLink();
  const ask = async () => {
    try {
      use(await get('session'));
      heard(null);
      set('in');
    } catch (failure) {
      heard(failure);
      if (failure instanceof Refused && failure.status === 401) set('out');
      else setTimeout(ask, 1500);
    }
  };
  useEffect(() => { ask(); }, []);
  useEffect(() => { if (link.link === 'login') set('out'); }, [link]);
  if (state === 'out') return html`<${Login} done=${ask}/>`;
  if (state === 'asking') return html`<main><${Banner} link=${link}/></main>`;
  return html`<${Frame} link=${link}/>`;
}

const root = document.getElementById('app');
root.textContent = '';
render(html`<${App}/>`, root);
