/**
 * Asks the browser for the files of the console, whose names the build writes into the page; none while developing. They
 * run when the console's code asks for them, which also says where they cannot be had.
 */
export function preloadConsole(page: Document): void {
  const nonce = page.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
  const names = page.querySelector<HTMLMetaElement>('meta[name="console-files"]')?.content ?? '';
  for (const href of names.split(' ').filter(Boolean)) {
    const link = page.createElement('link');
    page.head.append(Object.assign(link, { rel: 'modulepreload', href, crossOrigin: '', nonce }));
  }
}
