// Before anything is drawn: the colours that were chosen here, else those of the system.
(function () {
  let chosen = null;
  try { chosen = localStorage.getItem('errand-theme'); } catch { /* a browser that keeps nothing */ }
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
})();
