/**
 * Shows the loader while the console's code loads (SHL-12), until the first screen replaces it.
 * `views/shell/FullScreenLoader.tsx` looks the same.
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
