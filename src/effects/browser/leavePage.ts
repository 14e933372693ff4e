import { fromPromise } from 'xstate';

type LeavablePage = Pick<Window, 'addEventListener' | 'removeEventListener'> & { location: Pick<Location, 'assign'> };

/** Goes to another site. Resolves only if the browser restores this page as it was, as after Back. */
export const createLeavePage = (page: LeavablePage = window) =>
  fromPromise<void, { url: string }>(
    ({ input, signal }) =>
      new Promise((resolve) => {
        const shown = ({ persisted }: PageTransitionEvent) => {
          if (persisted) resolve();
        };
        page.addEventListener('pageshow', shown);
        signal.addEventListener('abort', () => page.removeEventListener('pageshow', shown));
        page.location.assign(input.url);
      }),
  );
