/**
 * Fills the window while the console loads (SHL-12), before the code is there that draws the page. The first screen takes
 * its place; `views/shell/FullScreenLoader.tsx` looks the same.
 */
export function showLoader(page: Document): void {
  const place = page.getElementById('app');
  if (!place || place.hasChildNodes()) return;
  const loader = Object.assign(page.createElement('main'), { className: 'loader' });
  loader.append(
    Object.assign(page.createElement('div'), { className: 'loader-spinner', ariaHidden: 'true' }),
    Object.assign(page.createElement('h1'), { textContent: 'Loading…', ariaLive: 'polite' }),
  );
  place.append(loader);
}
