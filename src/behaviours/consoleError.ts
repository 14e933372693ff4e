import { toFailure } from '#machines/shared/failure.ts';
import { hrefOf } from '../locations.ts';
import './consoleError.css';

const DEFAULT_MESSAGE =
  'Console failed to load. Clear your browser cache and try again later. If the problem persists contact support.';

/**
 * Shows the last resort (SHL-11) in the place of all that the page holds. It needs no provider, no router and no React, since
 * those may be what failed; the link loads the page anew. Only what a server or a call said is meant for people, never the
 * texts of programming errors.
 */
export function showConsoleError(error: unknown): void {
  const { kind, message } = toFailure(error);
  document.body.innerHTML = `<main class="console-error"><h1>Console error</h1><p role="alert"></p><a href="${hrefOf({ screen: 'user' })}">Home</a></main>`;
  document.querySelector('p')?.append(kind === 'OTHER' ? DEFAULT_MESSAGE : message);
}
