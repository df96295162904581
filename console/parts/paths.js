// Addresses under the prefix that the page was served with.
export const prefix = document.querySelector('meta[name="errand-prefix"]').content;

/** @param {string} path "/tasks" @param {Record<string, string>} [query] without those that are empty */
export function to(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  const text = new URLSearchParams(given).toString();
  return prefix + path + (text ? '?' + text : '');
}

export const task = (id) => to('/tasks/' + encodeURIComponent(id));
export const queue = (name) => to('/queues/' + encodeURIComponent(name));
