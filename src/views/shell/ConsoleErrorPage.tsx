import { toFailure } from '#machines/shared/failure.ts';
import { hrefOf } from '../../locations.ts';
import './consoleError.css';

const DEFAULT_MESSAGE =
  'Console failed to load. Clear your browser cache and try again later. If the problem persists contact support.';

/**
 * The last resort (SHL-11). Needs no provider and no router, since those may be what failed; the link loads the page anew.
 * Only what a server or a call said is meant for people, never the texts of programming errors.
 */
export function ConsoleErrorPage({ error }: { error: unknown }) {
  const { kind, message } = toFailure(error);
  return (
    <main className="console-error">
      <h1>Console error</h1>
      <p role="alert">{kind === 'OTHER' ? DEFAULT_MESSAGE : message}</p>
      <a href={hrefOf({ screen: 'user' })}>Home</a>
    </main>
  );
}
