import { toFailure } from '#machines/shared/failure.ts';
import { hrefOf } from '../locations.ts';
import './consoleError.css';

const DEFAULT_MESSAGE =
  'Console failed to load. Clear your browser cache and try again later. If the problem persists contact support.';

/**
 * Replaces the whole page by an error screen (SHL-11). Needs no provider, router or React, since these may have
 * failed; the link loads the page anew. Shows only messages of a server or a call, not of programming errors.
 */
export function showConsoleError(error: unknown): void {
  const { kind, message } = toFailure(error);
  const home = hrefOf({ screen: 'user' });
  document.body.innerHTML = `<main class="console-error"><h1>Console error</h1><p role="alert"></p>
<a href="${home}">Home</a></main>`;
  document.querySelector('p')?.append(kind === 'OTHER' ? DEFAULT_MESSAGE : message);
}
