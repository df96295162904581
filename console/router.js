// Real paths: what an address shows follows from it alone, so that it can be sent to a colleague, and Back works.
import { prefix, to } from './parts/paths.js';
import { useEffect, useState } from './parts/ui.js';

const hearers = new Set();
const announce = () => { for (const one of hearers) one(location.pathname + location.search); };

addEventListener('popstate', announce);

/** @param {string} address with its prefix */
export function go(address, replace = false) {
  if (address === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  announce();
  if (!replace) scrollTo(0, 0);
}

// Links of the console are followed without loading it anew; with a key held, or to elsewhere, as any link.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target) return;
  if (link.origin !== location.origin || !link.pathname.startsWith(prefix + '/')) return;
  event.preventDefault();
  go(link.pathname + link.search);
});

/** {parts, query}: "/queues/a%2Fb?x=1" is ["queues", "a/b"] and {x: "1"}. */
export function useAddress() {
  const [, set] = useState('');
  useEffect(() => {
    hearers.add(set);
    return () => hearers.delete(set);
  }, []);
  const path = location.pathname.slice(prefix.length);
  const parts = path.split('/').filter((one) => one !== '').map((one) => {
    try { return decodeURIComponent(one); } catch { return one; }
  });
  return { parts, query: Object.fromEntries(new URLSearchParams(location.search)) };
}

/** The same page with another query. */
export const sameWith = (query) => to(location.pathname.slice(prefix.length), query);
