/* The theme that was chosen in the console, before anything is painted; without one a page follows the device (SHL-13). */
{
  const { key } = document.currentScript.dataset;
  let kept = null;
  try {
    kept = JSON.parse(localStorage.getItem(key));
  } catch {
    // Storage that is blocked or spoilt holds no choice.
    kept = null;
  }
  const theme = kept?.theme;
  if (theme === 'light' || theme === 'dark') document.documentElement.classList.add(theme);
}
