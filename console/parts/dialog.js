// A question before something that cannot be taken back. The browser's own dialog keeps the focus inside and gives it back.
import { html, useEffect, useRef, useState } from './ui.js';

let ask = () => {};

/** Resolves to what was given, or null. fields: [{name, label, value, type, hint}]; `typed`: a text that is to be typed first. */
export const question = (what) => new Promise((answer) => ask({ ...what, answer }));

export function Question() {
  const [now, set] = useState(null);
  const element = useRef(null);
  ask = set;
  useEffect(() => {
    if (now && element.current && !element.current.open) element.current.showModal();
  }, [now]);
  if (!now) return null;
  const end = (value) => {
    element.current.close();
    set(null);
    now.answer(value);
  };
  const submit = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    if (now.typed && given.typed !== now.typed) return;
    end(given);
  };
  return html`<dialog ref=${element} aria-labelledby="question-title" onCancel=${() => end(null)}>
    <form method="dialog" onSubmit=${submit}>
      <h2 id="question-title">${now.title}</h2>
      ${now.text && html`<p>${now.text}</p>`}
      ${(now.fields || []).map((one) => html`<label class="field"><span>${one.label}</span>
        ${one.type === 'textarea'
          ? html`<textarea name=${one.name} rows="8" spellcheck="false">${one.value || ''}</textarea>`
          : html`<input name=${one.name} type=${one.type || 'text'} value=${one.value || ''} autocomplete="off"/>`}
        ${one.hint && html`<small>${one.hint}</small>`}</label>`)}
      ${now.typed && html`<label class="field"><span>Type <b>${now.typed}</b> to go on</span>
        <input name="typed" autocomplete="off"/></label>`}
      <div class="row end">
        <button type="button" onClick=${() => end(null)}>Keep as it is</button>
        <button type="submit" class=${now.danger ? 'danger' : 'main'}>${now.yes}</button>
      </div>
    </form>
  </dialog>`;
}
