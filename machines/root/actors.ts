import { fromCallback } from 'xstate';
import { promisePlaceholder } from '../shared/placeholder.ts';
import type { NavigateRequested, ReloadConfirmed } from '../shared/appServices.ts';
import type { LeftDrafts } from '../shared/form/drafts.ts';
import type { Route } from '../shared/route.ts';
import type { visitorMachine } from '../visitor/machine.ts';
import type { workspaceMachine } from '../workspace/machine.ts';

/** Fetches what only signed-in people need, so that the public pages stay light; `workspace` can start once it resolves. */
export const fetchConsole = promisePlaceholder<void>('fetchConsole');

// The chart itself comes with what is fetched; here its type is enough.
export const workspace = promisePlaceholder<void>('workspace') as unknown as typeof workspaceMachine;

/** Fetches the public screens besides sign-in, charts and views; `visitor` can start once it resolves. */
export const fetchVisitor = promisePlaceholder<void>('fetchVisitor');

// Fetched, too.
export const visitor = promisePlaceholder<void>('visitor') as unknown as typeof visitorMachine;

/** What was typed, on which screen: the next one may have been asked for already. */
export type Reloaded = { left: LeftDrafts | null; route: Route };

/** Loads the page anew, which takes over what was typed; it never comes back. */
export const reloadPage = promisePlaceholder<never, Reloaded>('reloadPage');

/** Asked for another address, or for the same anew, by whoever wants that, it has the root see to it: the router listens to nobody else. */
export const navigation = fromCallback<NavigateRequested | ReloadConfirmed>(({ receive, sendBack }) =>
  receive(sendBack),
);
