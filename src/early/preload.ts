/**
 * Preloads the console's files, whose names the build writes into the page (none in development). They run when the
 * console imports them, which also reports missing ones.
 */
export function preloadConsole(page: Document): void {
  const nonce = page.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
  const names = page.querySelector<HTMLMetaElement>('meta[name="console-files"]')?.content ?? '';
  for (const href of names.split(' ').filter(Boolean)) {
    const link = page.createElement('link');
    page.head.append(Object.assign(link, { rel: 'modulepreload', href, crossOrigin: '', nonce }));
  }
}
