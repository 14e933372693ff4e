import { fromCallback } from 'xstate';
import { promisePlaceholder } from '../shared/placeholder.ts';
import type { NavigateRequested, ReloadConfirmed } from '../shared/appServices.ts';
import type { KeptDrafts } from '../shared/form/drafts.ts';
import type { Route } from '../shared/route.ts';
import type { visitorMachine } from '../visitor/machine.ts';
import type { workspaceMachine } from '../workspace/machine.ts';

/** Fetches the code for signed-in people, which public pages do without; `workspace` can start once it resolves. */
export const fetchConsole = promisePlaceholder<void>('fetchConsole');

// `fetchConsole` brings the chart; here its type is enough.
export const workspace = promisePlaceholder<void>('workspace') as unknown as typeof workspaceMachine;

/** Fetches charts and views of the public screens besides sign-in; `visitor` can start once it resolves. */
export const fetchVisitor = promisePlaceholder<void>('fetchVisitor');

// `fetchVisitor` brings the chart.
export const visitor = promisePlaceholder<void>('visitor') as unknown as typeof visitorMachine;

/** The typed input, and the screen that it belongs to, because the address may already be another's. */
export type Reloaded = { keptDrafts: KeptDrafts | null; route: Route };

/** Reloads the page, which takes over the typed input. Never resolves. */
export const reloadPage = promisePlaceholder<never, Reloaded>('reloadPage');

/** Passes navigations and reloads from any chart to the root, the only actor that the router listens to. */
export const navigation = fromCallback<NavigateRequested | ReloadConfirmed>(({ receive, sendBack }) =>
  receive(sendBack),
);
